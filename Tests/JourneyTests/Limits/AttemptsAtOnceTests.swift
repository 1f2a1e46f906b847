import Accounts
import Database
import TestSupport
import Testing

@Suite("Attempts that are counted at the same moment")
struct AttemptsAtOnceTests {
    @Test("of those who count, take back and clear the same, none ends the other; and all are counted")
    func order() async throws {
        try await TestServer.with { server in
            let limit = AttemptLimit(clock: server.time.clock), database = server.database
            // In the order in which who clears its own would come to it first.
            let own = AttemptLimit.Step(subject: "login z", free: 100_000, pause: 30),
                others = ["login y", "login x"].map { AttemptLimit.Step(subject: $0, free: 100_000, pause: 30) }

            _ = try await crowd(24) { number in
                for _ in 0..<20 {
                    _ = try await limit.count([own] + others, in: database)
                    switch number % 3 {
                    case 0: try await limit.forgive(own, takingBack: others, in: database)
                    case 1: try await limit.takeBack([own] + others, in: database)
                    default: break
                    }
                }
            }

            let left: Int = try await database.value("select failures::bigint from attempt where subject = 'login x'")
            #expect(left == 8 * 20)
        }
    }

    @Test("ten right passwords of one person at one phone are ten logins")
    func logins() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server)

            let statuses = try await crowd(10) { _ in try await phone.askForCode().status }

            #expect(statuses == Array(repeating: 200, count: 10))
        }
    }
}
