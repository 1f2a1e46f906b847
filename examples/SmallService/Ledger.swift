import Crypto
import Foundation
import PandoClient

/// What a service writes down: what was used, what it issued and from what that hangs, and what has ended. A token
/// lives while it has not expired and none of its ancestors has ended, so an end is one entry, whatever hangs below.
///
/// Each change is one line of a file, on disk before anybody acts on it, and read again at a start. In a real service
/// these are tables, and each function is one transaction.
actor Ledger {
    private static let accessLife: TimeInterval = 3_600, refreshLife: TimeInterval = 30 * 86_400

    private var state = LedgerState()
    private var asked = Date.distantPast
    private let file: FileHandle?

    /// Without a file all of it is forgotten at the end.
    init(file path: String?) throws {
        guard let path else {
            file = nil
            return
        }
        if !FileManager.default.fileExists(atPath: path) {
            _ = FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
        }
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        let lines = try (file.readToEnd() ?? Data()).split(separator: UInt8(ascii: "\n"))
        self.file = file
        for line in lines {
            // One that is not whole was never acted upon.
            for entry in (try? JSONDecoder().decode([LedgerState.Entry].self, from: Data(line))) ?? [] {
                state.apply(entry)
            }
        }
    }

    private func write(_ entries: [LedgerState.Entry]) throws {
        if let file {
            // The line feed comes first as well, behind what may have been left unfinished.
            try file.write(contentsOf: Data("\n".utf8) + JSONEncoder().encode(entries) + Data("\n".utf8))
            try file.synchronize()
        }
        for entry in entries { state.apply(entry) }
    }

    // MARK: Tokens

    /// True the first time.
    func claim(_ id: String, _ namespace: String, until: Date) throws -> Bool {
        let name = Ledger.digest("\(namespace) \(id)")
        guard state.used[name].map({ $0 < Date() }) ?? true else { return false }
        state.used = state.used.filter { $0.value >= Date() }
        try write([.used(name, until: until)])
        return true
    }

    /// Tokens for an assertion, once; the second time all that came of the first ends.
    func redeem(_ assertion: ServiceAssertion, scope: String) throws -> JSON {
        guard state.ended.isDisjoint(with: assertion.ancestors) else {
            throw OAuthError(400, .invalidGrant, "the assertion was revoked")
        }
        let name = Ledger.digest("assertion \(assertion.id)")
        guard state.used[name] == nil else {
            try write([.ended(assertion.node)])
            throw OAuthError(400, .invalidGrant, "the assertion was used before; what came of it has ended")
        }
        var family = LedgerState.Family(
            person: assertion.subject, name: assertion.released["name"]?.string, instance: assertion.instance,
            instanceKey: assertion.key.jwk, scope: scope, thumbprint: assertion.key.thumbprint,
            ancestors: Set(assertion.ancestors))
        // The app may have been updated since the assertion was made.
        for move in state.moves { family.move(move.node, move.from, move.to) }
        return try issue(for: family, [.used(name, until: assertion.expires.addingTimeInterval(120)), .opened(family)])
    }

    /// Tokens for another app, with the ancestors of the service token.
    func authorize(_ app: String, scope: String, key: VerificationKey?, below parent: LedgerState.Family) throws -> JSON
    {
        guard state.takes(app) else { throw OAuthError(400, .accessDenied, "this service does not take this app") }
        // As it is now: the app may have been updated since the token was looked at.
        guard var family = state.families[parent.id] else { throw OAuthError(401, .invalidToken) }
        family.ancestors.insert(parent.id)
        family.id = UUID().uuidString
        (family.app, family.scope, family.thumbprint) = (app, scope, key?.thumbprint)
        return try issue(for: family, [.opened(family)])
    }

    /// A new pair; the second time all of it ends, and what was handed on.
    func refresh(_ text: String, of family: LedgerState.Family) throws -> JSON {
        let name = Ledger.digest("refresh \(text)")
        guard state.used[name] == nil else {
            try write([.ended(family.id)])
            throw OAuthError(400, .invalidGrant, "the refresh token was used before; what came of it has ended")
        }
        let until = Date().addingTimeInterval(Ledger.refreshLife)
        return try issue(for: family, [.used(name, until: until)])
    }

    private func issue(for family: LedgerState.Family, _ entries: [LedgerState.Entry]) throws -> JSON {
        let access = Ledger.secret(), refresh = Ledger.secret(), now = Date()
        let issued = [(access, false, Ledger.accessLife), (refresh, true, Ledger.refreshLife)].map {
            LedgerState.Token(
                digest: Ledger.digest($0.0), family: family.id, isRefresh: $0.1, expires: now.addingTimeInterval($0.2))
        }
        try write(entries + issued.map { .issued($0) })
        return [
            "access_token": .string(access), "refresh_token": .string(refresh),
            "token_type": family.thumbprint == nil ? "Bearer" : "DPoP", "expires_in": .integer(Int(Ledger.accessLife)),
            "scope": .string(family.scope),
        ]
    }

    /// What stands behind a token that lives.
    func living(_ text: String) -> (family: LedgerState.Family, isRefresh: Bool, isUsed: Bool)? {
        guard let token = state.tokens[Ledger.digest(text)], token.expires > Date(),
            let family = state.families[token.family], state.lives(family)
        else { return nil }
        return (family, token.isRefresh, state.used[Ledger.digest("refresh \(text)")] != nil)
    }

    func end(_ node: String) throws { try write([.ended(node)]) }

    // MARK: Events

    var position: Int { state.position }
    var heard: Date { state.heard }

    func isTaken(_ event: String) -> Bool { state.events.contains(event) }
    func isEnded(_ node: String) -> Bool { state.ended.contains(node) }
    func hear(_ date: Date) throws { try write([.heard(date)]) }

    /// Whether it is time to ask the federation, which one request in a second does.
    func mayAsk(after silence: TimeInterval) -> Bool {
        let now = Date()
        guard now.timeIntervalSince(state.heard) > silence, now.timeIntervalSince(asked) >= 1 else { return false }
        asked = now
        return true
    }

    func take(_ token: SecurityEventToken) throws {
        // Of two who take it at once one comes late, and must not put an old policy back.
        guard !state.events.contains(token.id) else { return }
        var entries: [LedgerState.Entry] = []
        for event in token.events {
            switch event {
            case .ended(let node): entries.append(.ended(node))
            case .moved(let node, let from, let to): entries.append(.moved(node: node, from: from, to: to))
            case .policy(let other, let allow, let deny):
                entries.append(.policy(isOpen: other == "open", allow: allow, deny: deny))
            case .other: break
            }
        }
        try write(entries + [.taken(token.id, sequence: token.sequence)])
        // What the policy ended stays so when the app is taken again.
        let refused = state.families.values.filter { family in
            family.app.map { !state.takes($0) } ?? false && !state.ended.contains(family.id)
        }
        if !refused.isEmpty { try write(refused.map { .ended($0.id) }) }
    }

    private static func secret() -> String { UUID().uuidString + UUID().uuidString }

    private static func digest(_ text: String) -> String {
        SHA256.hash(data: Data(text.utf8)).map { String(UInt16($0) + 256, radix: 16).dropFirst() }.joined()
    }
}
