import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("How much tokens of one person may bring")
struct AccountLimitTests {
    private static let path = "/user-profile"

    private func limited(_ body: @Sendable @escaping (TestServer) async throws -> Void) async throws {
        var options = try TestServerOptions.forwarded()
        options.flags = ["limit-account": "1"]
        try await TestServer.with(options: options, body)
    }

    /// `phone` shows `pat` with a proof, from an address of its own.
    private func show(
        _ pat: Reply, _ phone: Phone, by prover: Phone? = nil, in server: TestServer, from number: Int
    ) async throws -> Reply {
        var headers = try (prover ?? phone).dpop(.get, Self.path, token: pat.accessToken)
        headers[.forwardedFor] = "203.0.113.\(number)"
        return try await server.get(Self.path, headers: headers)
    }

    private func refresh(
        _ pat: Reply, _ phone: Phone, proof: HTTPFields? = nil, in server: TestServer
    ) async throws -> Reply {
        var headers = try proof ?? phone.dpop(.post, "/token")
        headers[.forwardedFor] = "203.0.113.200"
        return try await server.post(
            "/token", ["grant_type": "refresh_token", "refresh_token": pat.refreshToken], headers: headers)
    }

    @Test("of all phones together, wherever they are; beyond it 429, nothing is used, and a second later one more")
    func counted() async throws {
        try await limited { server in
            let one = try await Phone.registered(in: server), two = try await Phone.registered(in: server)
            let pats = (try await one.logIn(), try await two.logIn())
            let other = try await server.newResident().username, third = try await Phone.registered(in: server),
                others = try await third.logIn(as: other)
            for number in 1...10 {
                #expect(try await show(pats.0, one, in: server, from: number).status == 200)
                #expect(try await show(pats.1, two, in: server, from: 100 + number).status == 200)
            }

            let refused = try await show(pats.0, one, in: server, from: 99),
                notRefreshed = try await refresh(pats.1, two, in: server)

            for reply in [refused, notRefreshed] {
                #expect(reply.outcome == "429 slow_down" && reply[header: "Retry-After"] == "1")
                #expect(reply[header: "RateLimit"]?.hasPrefix("\"account\";r=0;t=1") == true)
                #expect(reply[header: "RateLimit-Policy"]?.hasPrefix("\"account\";q=20;w=20") == true)
            }
            #expect(try await show(others, third, in: server, from: 99).status == 200)
            server.time.advance(1)
            let refreshed = try await refresh(pats.1, two, in: server)
            #expect(refreshed.status == 200)
            #expect(try await show(refreshed, two, in: server, from: 99).status == 429)
        }
    }

    @Test("a token that is shown without its key takes nothing of a person's measure")
    func stolen() async throws {
        try await limited { server in
            let phone = try await Phone.registered(in: server), thief = try await Phone.registered(in: server),
                pat = try await phone.logIn()
            for number in 1...40 {
                #expect(try await show(pat, phone, by: thief, in: server, from: number).status == 401)
            }

            #expect(try await show(pat, phone, in: server, from: 99).status == 200)
        }
    }

    @Test("beyond it a proof is not used up: it is good when there is room again")
    func unused() async throws {
        try await limited { server in
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn()
            for number in 1...20 { _ = try await show(pat, phone, in: server, from: number) }
            var headers = try phone.dpop(.get, Self.path, token: pat.accessToken)
            headers[.forwardedFor] = "203.0.113.99"

            let refused = try await server.get(Self.path, headers: headers)
            server.time.advance(1)

            #expect(refused.status == 429)
            #expect(try await server.get(Self.path, headers: headers).status == 200)
            server.time.advance(1)
            #expect(try await server.get(Self.path, headers: headers).status == 401)
        }
    }

    @Test("nor is it at a refresh")
    func unusedAtRefresh() async throws {
        try await limited { server in
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn()
            for number in 1...20 { _ = try await show(pat, phone, in: server, from: number) }
            let proof = try phone.dpop(.post, "/token")

            let refused = try await refresh(pat, phone, proof: proof, in: server)
            server.time.advance(1)
            let refreshed = try await refresh(pat, phone, proof: proof, in: server)
            server.time.advance(1)
            let again = try await refresh(refreshed, phone, proof: proof, in: server)

            #expect(refused.status == 429 && refreshed.status == 200)
            #expect(again.outcome == "400 invalid_dpop_proof")
        }
    }

    @Test("addresses that are exempt are not counted")
    func exempt() async throws {
        try await limited { server in
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn()
            for _ in 0..<30 { #expect(try await phone.get(Self.path, token: pat.accessToken).status == 200) }
        }
    }
}
