import Base
import Foundation
import TestSupport
import Testing
import TokenTree

/// One of the two comes first, at the service as at home; whichever it is, nothing of the assertion lives after both.
@Suite("A revocation and the redeeming of an assertion at once")
struct RevokeAndRedeemRaceTests {
    private static let path = "/services/learn/token"

    /// Whoever got a token holds nothing when the service has heard.
    private func expectNothing(_ reply: Reply, _ phone: Phone, _ round: Int) async throws {
        guard reply.outcome == "200" else {
            #expect(reply.outcome == "400 invalid_grant", "round \(round)")
            return
        }
        #expect(try await phone.authorizeApp(reply).outcome == "401 invalid_token", "round \(round)")
        #expect(try await phone.refresh(reply.refreshToken, at: Self.path).outcome == "400 invalid_grant", "\(round)")
    }

    private func alive(_ account: UUID, _ server: TestServer) async throws -> Int {
        try await server.database.value(
            """
            select count(t.id) from token t where t.account = \(account) and t.kind = 'assertion'
                and not exists (select from revocation r where r.node = any (t.lineage))
            """)
    }

    @Test("the event arrives while the assertion is redeemed, and an app let in: no token lives, 20 rounds")
    func event() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn()
            for round in 0..<20 {
                let assertion = try await phone.assertion(pat)
                let id = try #require(NodeID(claims(of: assertion)["jti"]?.string ?? ""))
                try await server.parts.revocation.revoke(.token(id), by: .server)

                async let sending: Void = server.sendEvents()
                async let redeeming = phone.redeem(assertion: assertion)
                let reply = try await redeeming
                let app = reply.outcome == "200" ? try await phone.authorizeApp(reply) : nil
                try await sending
                try await server.sendEvents()

                try await expectNothing(reply, phone, round)
                if let app, app.outcome == "200" {
                    let read = try await server.get(
                        "/services/learn/attributes", headers: [.authorization: "Bearer \(app.accessToken)"])
                    #expect(read.outcome == "401 invalid_token", "round \(round)")
                }
            }
        }
    }

    @Test("the branch of the service is ended while an assertion is redeemed: no token lives, 20 rounds")
    func branch() async throws {
        try await TestServer.with { server in
            let ada = try await server.newResident(), phone = try await Phone.registered(in: server)
            let pat = try await phone.logIn(as: ada.username)
            for round in 0..<20 {
                let assertion = try await phone.assertion(pat)
                let nodes = try await phone.get("/account/tree", token: pat.accessToken).json["nodes"]?.array
                let branch = try #require(nodes?.first?["children"]?.array?.first?["id"]?.string)
                let path = "/account/tree/\(branch)"

                async let redeeming = phone.redeem(assertion: assertion)
                async let ending = server.send(
                    .delete, path, headers: phone.dpop(.delete, path, token: pat.accessToken))
                let (reply, ended) = (try await redeeming, try await ending)
                try await server.sendEvents()

                #expect(ended.status == 204, "round \(round)")
                try await expectNothing(reply, phone, round)
                #expect(try await alive(ada.id, server) == 0, "round \(round)")
            }
        }
    }
}
