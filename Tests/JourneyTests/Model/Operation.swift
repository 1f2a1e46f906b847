/// One step of a sequence, as data. `number` is its place in the sequence as it was made, which it keeps when others
/// are taken out.
struct Operation: Sendable {
    let number: Int
    let action: Action
}

/// What a step works on: what operation `number` made; where that made none, the last before it is meant, or else the
/// first. So any part of a sequence is a sequence, and means much the same.
struct Reference: Sendable {
    let number: Int
    /// Dead things are passed over, as long as there are others.
    var prefersLife = true
}

enum Action: Sendable {
    enum Phone: Sendable {
        case new
        /// The instance's device and key.
        case same(Reference)
        case sameDevice(Reference)
    }

    enum Prover: Sendable {
        case holder
        case stranger(Reference)
        case wrongClient(Reference)
        /// A refresh token at the other token endpoint, a code with another verifier.
        case wrongly
    }

    enum Thing: Sendable { case access(Reference), refresh(Reference), assertion(Reference) }

    enum Revoker: Sendable { case itself, above, other(Reference) }

    enum Target: Sendable {
        case virtual(TreeModel.Virtual)
        case instance(Reference), key(Reference), token(Reference), assertion(Reference)
    }

    case register(version: Int, Phone)
    case upgrade(Reference, to: Int, keepsKey: Bool)
    /// The owner of the instance, or ada, where nobody is named.
    case logIn(Reference, Person?)
    case askForCode(Reference, Person?)
    case redeemCode(Reference, Prover)
    case refresh(Reference, Prover)
    case askForAssertion(Reference)
    case redeemAssertion(Reference, provenBy: Reference?)
    case authorise(Reference, bundle: Int, scopes: Int)
    case revoke(Thing, Revoker)
    case disconnect(Reference, by: Reference)
    case revokeNode(Target)
    case suspend(Person), resume(Person)
    case refuse(version: Int), allow(version: Int)
    /// Shows an access token with another phone's proof.
    case steal(Reference, Reference)
    case deliverEvents
    case wait(seconds: Int)
    /// Four days later the keeper drops what is dead.
    case keepUp
}

extension Array where Element: Made {
    func place(_ reference: Reference, among places: [Int], lives: (Int) -> Bool) -> Int? {
        let alive = reference.prefersLife ? places.filter(lives) : []
        let places = alive.isEmpty ? places : alive
        return places.last { self[$0].madeBy <= reference.number } ?? places.first
    }
}
