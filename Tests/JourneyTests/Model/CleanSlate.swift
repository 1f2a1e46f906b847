import Accounts
import Base
import Database
import Foundation
import Registration
import TestSupport
import TokenTree

/// A server in which nothing lives that was issued before: as good as a new one for a sequence, and made in a tenth of
/// the time.
struct CleanSlate {
    let server: TestServer
    /// UUIDs.
    let accounts: [Person: String]
    /// What is known to have been revoked, and stands to be opened.
    private(set) var everRevoked: Set<TreeModel.Virtual> = []

    static let virtuals: [TreeModel.Virtual] = [
        .epoch, .service, .bundle(0), .bundle(1), .version(1), .version(2), .version(3), .person(.ada), .person(.bob),
    ]

    init(_ server: TestServer) async throws {
        self.server = server
        let rows = try await server.database.query("select username, id::text as id from account")
        accounts = Dictionary(
            try rows.compactMap { row in
                let (name, id): (String, String) = (try row("username"), try row("id"))
                return Person(rawValue: name).map { ($0, id) }
            }, uniquingKeysWith: { first, _ in first })
        // Wrong passwords are held against nobody for longer than an hour.
        server.time.advance(2 * 3_600)
        try await server.sendEvents()
        let people = AccountStore(clock: server.time.clock), apps = AppStore(clock: server.time.clock)
        for id in accounts.values.compactMap({ UUID(uuidString: $0) }) {
            _ = try await people.setStatus(id, .active, in: server.database)
        }
        for version in 1...3 {
            _ = try await apps.setStatus("\(Residents.app).\(version)", .allowed, in: server.database)
        }
        let ancestors = CleanSlate.virtuals.map { ancestor($0) }, revocation = server.parts.revocation
        let revocations = try await server.database.atomically { transaction in
            var revocations: [RevocationOutcome] = []
            for ancestor in ancestors {
                revocations.append(try await revocation.revoke(.virtual(ancestor), by: .server, in: transaction))
            }
            return revocations
        }
        everRevoked = Set(zip(CleanSlate.virtuals, revocations).filter { $0.1.revokedAt != nil }.map(\.0))
        try await server.sendEvents()
    }

    func ancestor(_ virtual: TreeModel.Virtual, keys: [PhoneKey] = []) -> Ancestor {
        switch virtual {
        case .epoch: .epoch
        case .service: Ancestor(.service, "learn")
        case .version(let version): Ancestor(.version, "\(Residents.app).\(version)")
        case .person(let person): Ancestor(.account, accounts[person] ?? "")
        case .bundle(let bundle): Ancestor(.bundle, TreeMachine.bundles[bundle])
        case .key(let key): Ancestor(.key, keys[key].thumbprint)
        }
    }
}
