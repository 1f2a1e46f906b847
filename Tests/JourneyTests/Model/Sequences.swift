/// Sequences of operations from a seed. Weights are such that most steps make sense, and some are taken with dead or
/// foreign things.
///
/// Our own, because the server takes no dependency for its tests, and no property-testing package for Swift is among
/// those it is built from. What we need of one is little: seeds that give the same everywhere, weights, and a shrinker
/// that may take any operation out (`Reference`).
struct Sequences {
    private var random: SplitMix64
    private var number = 0

    static func make(seed: UInt64, length: Int) -> [Operation] {
        var sequences = Sequences(random: SplitMix64(seed: seed))
        return (0..<length).map { sequences.operation($0) }
    }

    private mutating func operation(_ number: Int) -> Operation {
        self.number = number
        // Without a person on a phone most of the rest is idle.
        switch number {
        case 0: return Operation(number: number, action: .register(version: below(2) + 1, .new))
        case 1: return Operation(number: number, action: .logIn(Reference(number: 0), person))
        default: return Operation(number: number, action: action())
        }
    }

    private mutating func action() -> Action {
        pick([
            (9, { .register(version: $0.below(3) + 1, $0.phone()) }),
            (7, { .upgrade($0.reference(), to: $0.below(2) + 2, keepsKey: $0.below(8) > 0) }),
            (14, { .logIn($0.reference(), $0.ownerOrPerson) }),
            (3, { .askForCode($0.reference(), $0.ownerOrPerson) }),
            (2, { .redeemCode($0.reference(), $0.prover()) }),
            (18, { .refresh($0.reference(), $0.prover()) }),
            (12, { .askForAssertion($0.reference()) }),
            (11, { $0.redeemAssertion() }),
            (12, { .authorise($0.reference(), bundle: $0.below(2), scopes: $0.below(3)) }),
            (
                5,
                {
                    .revoke(
                        $0.thing(),
                        $0.pick([(4, { _ in .itself }), (3, { _ in .above }), (2, { .other($0.reference()) })]))
                }
            ),
            (2, { .disconnect($0.reference(), by: $0.reference()) }),
            (4, { .revokeNode($0.target()) }),
            (1, { .suspend($0.person) }), (3, { .resume($0.person) }),
            (1, { .refuse(version: $0.below(3) + 1) }), (3, { .allow(version: $0.below(3) + 1) }),
            (2, { .steal($0.reference(), $0.reference()) }),
            (7, { _ in .deliverEvents }),
            (8, { .wait(seconds: $0.pause()) }),
            (1, { $0.below(2) == 0 ? .keepUp : .deliverEvents }),
        ])
    }

    private mutating func redeemAssertion() -> Action {
        let (reference, isProven) = (self.reference(), below(8) == 0)
        return .redeemAssertion(reference, provenBy: isProven ? self.reference() : nil)
    }

    private mutating func phone() -> Action.Phone {
        pick([(6, { _ in .new }), (3, { .same($0.reference()) }), (1, { .sameDevice($0.reference()) })])
    }

    private mutating func prover() -> Action.Prover {
        pick([
            (12, { _ in .holder }), (2, { .stranger($0.reference()) }), (1, { .wrongClient($0.reference()) }),
            (1, { _ in .wrongly }),
        ])
    }

    private mutating func thing() -> Action.Thing {
        pick([(3, { .access($0.reference()) }), (3, { .refresh($0.reference()) }), (1, { .assertion($0.reference()) })])
    }

    private mutating func target() -> Action.Target {
        pick([
            (6, { .token($0.reference()) }), (2, { .assertion($0.reference()) }), (4, { .instance($0.reference()) }),
            (2, { .key($0.reference()) }),
            (3, { .virtual(.version($0.below(3) + 1)) }), (3, { .virtual(.person($0.person)) }),
            (2, { _ in .virtual(.service) }), (2, { .virtual(.bundle($0.below(2))) }), (1, { _ in .virtual(.epoch) }),
        ])
    }

    /// Around the ends of the grace window, codes, assertions and tokens.
    private mutating func pause() -> Int {
        pick([
            (6, { 1 + $0.below(9) }), (4, { _ in 10 }), (10, { _ in 11 }), (4, { _ in 60 }), (4, { _ in 300 }),
            (3, { _ in 360 }), (4, { _ in 3_600 }),
            (2, { _ in 86_400 }), (1, { _ in 30 * 86_400 }),
        ])
    }

    private var person: Person { mutating get { below(3) == 0 ? .bob : .ada } }

    private var ownerOrPerson: Person? { mutating get { below(4) == 0 ? person : nil } }

    /// Rather something new than something old.
    private mutating func reference() -> Reference {
        Reference(number: max(0, below(2) == 0 ? number - 1 - below(8) : below(number)), prefersLife: below(8) > 0)
    }

    /// Not `Int.random`, whose way from bits to numbers may change with the standard library.
    private mutating func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }

    private mutating func pick<Choice>(_ choices: [(weight: Int, make: (inout Sequences) -> Choice)]) -> Choice {
        var rest = below(choices.reduce(0) { $0 + $1.weight })
        for choice in choices {
            if rest < choice.weight { return choice.make(&self) }
            rest -= choice.weight
        }
        return choices[0].make(&self)
    }
}
