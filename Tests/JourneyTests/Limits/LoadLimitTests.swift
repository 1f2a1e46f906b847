import Accounts
import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import HTTP
@testable import Server

@Suite("Load that is shed")
struct LoadLimitTests {
    @Test("grants beyond those that may be under way get 503 at once, tokens are looked at meanwhile")
    func shed() async throws {
        let log = CapturedLog()
        try await TestServer.with(options: TestServerOptions(flags: ["limit-grants": "1"]), logger: log.logger) {
            server in
            let app = try await server.webApp(grants: ["client_credentials"])
            let load = try #require(server.parts.composition.requestLimits.load)
            func ask(_ path: String) async throws -> Reply {
                try await server.post(
                    path, ["grant_type": "client_credentials", "token": "none"], headers: app.basic)
            }
            try load.enter(from: nil)

            let shed = try await ask("/token"), service = try await ask("/services/learn/token"),
                look = try await ask("/introspect"), end = try await ask("/revoke")

            for reply in [shed, service] {
                #expect(reply.outcome == "503 temporarily_unavailable" && reply[header: "Retry-After"] == "1")
            }
            #expect(look.status == 200 && end.status == 200)
            #expect(log.all.contains { $0.contains("more was asked than a limit allows") && $0.contains("load") })
            load.leave()
            #expect(try await ask("/token").status == 200)
            // What was refused has left its place, too.
            #expect(try await ask("/token").status == 200)
        }
    }

    @Test("0 is any number")
    func unlimited() {
        let tally = RefusalTally(logger: .quiet, clock: .system)

        #expect(LoadLimit(most: 0, tally: tally) == nil && LoadLimit(most: 1, tally: tally) != nil)
    }

    @Test("passwords that wait beyond the queue are told so at once, and tokens are issued meanwhile")
    func passwords() async throws {
        try await TestServer.with { server in
            let app = try await server.webApp(grants: ["client_credentials"])
            let hasher = server.parts.hasher
            let busy = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<100 {
                    group.addTask {
                        do { _ = try await hasher.verify("wrong", nil) } catch is PasswordHasher.Busy { return true }
                        return false
                    }
                }
                let token = try await server.post(
                    "/token", ["grant_type": "client_credentials"], headers: app.basic)
                #expect(token.status == 200)
                group.cancelAll()
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }

            // Two are hashed and 64 wait; some may be done before the last one asks.
            #expect(busy > 0 && busy <= 34)
        }
    }

    @Test("a password that nobody looked at, as too many waited, counts as no wrong one")
    func unseen() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), hasher = server.parts.hasher
            let statuses: [Int] = try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<100 {
                    group.addTask {
                        while !Task.isCancelled {
                            _ = try? await hasher.verify("wrong", nil)
                            try? await Task.sleep(for: .milliseconds(5))
                        }
                    }
                }
                var statuses: [Int] = []
                for _ in 0..<12 { statuses.append(try await phone.askForCode().status) }
                group.cancelAll()
                return statuses
            }

            let failures: Int = try await server.database.value(
                "select coalesce(sum(failures), 0)::bigint from attempt")
            #expect(statuses.contains(503) && statuses.allSatisfy { $0 == 503 || $0 == 200 }, "\(statuses)")
            #expect(failures == 0)
        }
    }
}
