import Base
import Database
import HTTPTypes
import TestSupport
import TokenTree

/// Where server and model part.
struct Difference: Error, CustomStringConvertible {
    let what: String, model: String, server: String

    var description: String { "\(what): the model says \(model), the server \(server)" }
}

/// Does operations on a server and in the model, and compares each answer with what the model says. Holds what clients
/// hold: keys, tokens, codes.
///
/// The server is new, or all that was issued in it before has ended (`CleanSlate`).
struct TreeMachine {
    static let service = "/services/learn"
    static let bundles = ["org.example.notes", "org.example.calendar"]
    static let scopes = [
        ServerParts.viewerScope, ServerParts.gradesScope, "\(ServerParts.gradesScope) \(ServerParts.viewerScope)",
    ]

    let slate: CleanSlate
    var server: TestServer { slate.server }
    var model: TreeModel
    var keys: [PhoneKey] = []
    var devices = 0
    /// By place in the model's lists.
    var phones: [Int: Phone] = [:]
    var shown: [Int: Reply] = [:]
    var refreshTexts: [Int: String] = [:]
    var codeTexts: [Int: String] = [:]
    var assertionTexts: [Int: String] = [:]
    var nodes: [Int: NodeID] = [:]
    /// Access tokens that were seen dead.
    var buried: Set<Int> = []

    init(_ slate: CleanSlate, misbelief: Misbelief?) {
        (self.slate, model) = (slate, TreeModel(misbelief, everRevoked: slate.everRevoked))
    }

    /// What was done and how it was answered; `nil` when there was nothing to do it with. Throws `Difference`.
    mutating func perform(_ operation: Operation) async throws -> String? {
        let number = operation.number
        switch operation.action {
        case .register(let version, let phone): return try await register(phone, version: version, by: number)
        case .upgrade(let reference, let version, let keepsKey):
            return try await upgrade(reference, to: version, keepsKey: keepsKey, by: number)
        case .logIn(let reference, let person): return try await logIn(reference, person, redeems: true, by: number)
        case .askForCode(let reference, let person):
            return try await logIn(reference, person, redeems: false, by: number)
        case .redeemCode(let reference, let prover): return try await redeemCode(reference, prover, by: number)
        case .refresh(let reference, let prover): return try await refresh(reference, prover, by: number)
        case .askForAssertion(let reference): return try await askForAssertion(reference, by: number)
        case .redeemAssertion(let reference, let other):
            return try await redeemAssertion(reference, provenBy: other, by: number)
        case .authorise(let reference, let bundle, let scopes):
            return try await authorise(reference, .init(bundle: bundle, scopes: scopes), by: number)
        case .revoke(let thing, let revoker): return try await revoke(thing, revoker)
        case .disconnect(let reference, let by): return try await disconnect(reference, by: by)
        case .steal(let reference, let thief): return try await steal(reference, thief)
        case .revokeNode(let target): return try await revoke(target)
        case .suspend(let person): return try await set(person, suspended: true)
        case .resume(let person): return try await set(person, suspended: false)
        case .refuse(let version): return try await set(version: version, refused: true)
        case .allow(let version): return try await set(version: version, refused: false)
        case .deliverEvents: return try await deliverEvents()
        case .keepUp: return try await keepUp()
        case .wait(let seconds):
            wait(seconds)
            return "wait \(seconds) s"
        }
    }

    // MARK: Comparing

    /// Keeps what was issued. What the model says was issued before must be the same again.
    mutating func settle(_ what: String, _ prediction: Prediction, _ reply: Reply) throws -> String {
        guard reply.outcome == prediction.outcome else {
            throw Difference(
                what: what, model: prediction.outcome,
                server: "\(reply.outcome) (\(reply["error_description"] ?? "nothing more"))")
        }
        switch prediction.issue {
        case .nothing: break
        case .code(let code): codeTexts[code] = reply["authorization_code"]
        case .assertion(let assertion): assertionTexts[assertion] = reply["code"]
        case .pair(let access, let refresh):
            if let earlier = shown[access] {
                try expect(earlier.jti, reply.jti, "\(what), the access token")
                try expect(refreshTexts[refresh], reply.refreshToken, "\(what), the refresh token")
                break
            }
            guard let node = NodeID(reply.jti), !reply.refreshToken.isEmpty,
                shown.values.allSatisfy({ $0.jti != reply.jti })
            else {
                throw Difference(what: what, model: "a new pair", server: "none, or an old one")
            }
            (shown[access], refreshTexts[refresh]) = (reply, reply.refreshToken)
            let family = model.accesses[access].family
            nodes[family] = nodes[family] ?? node
        }
        return "\(what): \(reply.outcome)"
    }

    func expect<Value: Equatable>(_ model: Value, _ server: Value, _ what: @autoclosure () -> String) throws {
        guard model == server else { throw Difference(what: what(), model: "\(model)", server: "\(server)") }
    }

    // MARK: Names

    func name(access: Int) -> String { "\(model.accesses[access].kind.rawValue) \(model.accesses[access].madeBy)" }
    func name(refresh: Int) -> String {
        "refresh token of \(model.refreshes[refresh].kind.rawValue) \(model.refreshes[refresh].madeBy)"
    }
    func name(instance: Int) -> String { "instance \(model.instances[instance].madeBy)" }
    func name(assertion: Int) -> String { "assertion \(model.assertions[assertion].madeBy)" }

    // MARK: Showing

    func access(_ reference: Reference, _ kinds: Kind...) -> Int? {
        model.access(reference, kinds.isEmpty ? Kind.allCases : kinds)
    }

    func text(_ access: Int) -> String { shown[access]?.accessToken ?? "" }

    func holder(of access: Int) -> Int { model.families[model.accesses[access].family].instance }

    func phone(_ instance: Int) throws -> Phone {
        guard let phone = phones[instance] else {
            throw Difference(what: name(instance: instance), model: "registered", server: "never seen")
        }
        return phone
    }

    func key(_ instance: Int) -> Int { model.instances[instance].handset.key }

    /// With its proof; an app's token as Bearer.
    func headers(_ method: HTTPRequest.Method, _ path: String, _ access: Int) throws -> HTTPFields {
        if model.accesses[access].kind == .app { return [.authorization: "Bearer \(text(access))"] }
        return try phone(holder(of: access)).dpop(method, path, token: text(access))
    }

    static func base(_ kind: Kind) -> String { kind.isOfService ? service : "" }
}
