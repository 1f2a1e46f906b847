import Base
import Database
import Foundation
import TestSupport

@testable import Federation

/// A service of the index, as approved and crawled.
struct IndexedService: Sendable {
    let id: String
    var protocols: [String]
    var state = "ok"
    /// What else its document says.
    var engine = "Engine"

    init(_ id: String, _ protocols: [String], state: String = "ok", engine: String = "Engine") {
        (self.id, self.protocols, self.state, self.engine) = (id, protocols, state, engine)
    }

    var base: String { "https://\(id).example.org" }

    var document: JSONValue {
        let apis = JSONObject(protocols.map { ($0, ["apiLink": .string("\(base)/\($0)")] as JSONValue) })
        return [
            "engineName": .string(engine), "engineLink": .string(base), "homePageLink": .string(base),
            "apis": .object(apis),
        ]
    }

    /// With its document, unless `isCrawled` is false.
    func enter(
        _ database: Database, status: FederationService.Status = .active, isCrawled: Bool = true, at now: Date
    ) async throws {
        guard let address = WebAddress(base) else { return }
        _ = try await database.execute(
            "insert into client (id, name, auth_method, created_at) values (\(id), \(id), 'none', \(now))")
        let index = ServiceIndex(clock: WallClock { now })
        _ = try await index.add(
            id: id, name: "Index name of \(id)", base: address, client: id, claims: [], rsd: nil, allowsLoopback: false,
            status: status, in: database)
        if isCrawled { try await publish(database, at: now) }
    }

    /// As the crawler saves what it read.
    func publish(_ database: Database, at now: Date) async throws {
        let found: [SQL] = ["update service_document set state = \(state), last_ok = \(now) where service = \(id)"]
        try await database.batch(found + ServiceListing.put(document, protocols: protocols, of: id, at: now))
    }

    func move(_ database: Database, to status: FederationService.Status, at now: Date) async throws {
        let index = ServiceIndex(clock: WallClock { now })
        guard status == .removed else {
            _ = try await index.move(id, to: status, in: database)
            return
        }
        guard let service = try await index.find(id, in: database) else { return }
        try await database.transaction { try await index.remove(service, in: $0) }
    }
}
