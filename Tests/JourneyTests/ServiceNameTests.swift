import Base
import Foundation
import TestSupport
import Testing

@testable import Federation

@Suite("which service a token endpoint names", .server)
struct ServiceNameTests {
    @Test("the one below whose base it is, whoever else claims it; nobody, when it is below none and two claim it")
    func claimed() async throws {
        try await TestServer.with { server in
            let now = server.time.now, index = ServiceIndex(clock: WallClock { now })
            for id in ["alpha", "beta", "gamma"] {
                try await IndexedService(id, ["org.a"]).enter(server.database, at: now)
            }
            let own = "https://beta.example.org/token", far = "https://elsewhere.example.org/token"

            try await server.database.execute("update service set token_endpoint = \(own) where id = 'alpha'")
            let rightful = try await index.active(own, in: server.database)
            try await server.database.execute("update service set token_endpoint = \(far) where id = 'alpha'")
            let named = try await index.active(far, in: server.database)
            try await server.database.execute("update service set token_endpoint = \(far) where id = 'gamma'")
            let twice = try await index.active(far, in: server.database),
                base = try await index.active("https://gamma.example.org", in: server.database)

            #expect(rightful?.id == "beta" && named?.id == "alpha" && twice?.id == nil && base?.id == "gamma")
        }
    }
}
