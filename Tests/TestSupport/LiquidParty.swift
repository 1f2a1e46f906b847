import Base
import Federation
import Foundation
import HTTPTypes
import Registration
import Testing
import TokenTree

extension TestServer {
    /// So that assertions for liquid are given.
    public func listLiquid() async throws {
        guard let base = WebAddress(ServerParts.liquidBase) else { return }
        let index = ServiceIndex(clock: parts.time.clock)
        try await database.atomically { transaction in
            _ = try await transaction.query(
                "select pg_advisory_xact_lock(\(NodeID(digestOf: "liquid of a test server").lockNumber))")
            guard try await index.find("liquid", in: transaction) == nil else { return }
            let draft = WebClientDraft(name: "liquid", grantTypes: ["client_credentials"], scope: "")
            let (client, _) = try await WebClientStore(clock: parts.time.clock, randomness: .system).create(
                draft, in: transaction)
            _ = try await index.add(
                id: "liquid", name: "liquid", base: base, client: client.id, claims: [], rsd: nil,
                allowsLoopback: true, status: .active, in: transaction)
        }
    }
}

extension Phone {
    public static let liquidScopes = "com.liquidauth.signaling org.w3.webauthn"

    /// A token of a third-party app for liquid, in the name of `user`; and the service token above it. With a key of
    /// the app it is bound to that.
    public func liquidApp(
        as user: String = "ada", scope: String = liquidScopes, appKey: PhoneKey? = nil
    ) async throws -> (app: Reply, service: Reply) {
        try await server.listLiquid()
        let path = "/services/liquid/token"
        let assertion = try await assertion(try await logIn(as: user), for: ServerParts.liquidBase)
        let service = try await server.post(
            path, ["grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion": assertion])
        try #require(service.outcome == "200", "redeem: \(service.body)")
        let code = try appCode(appKey: appKey, changes: ["aud": .string(ServerParts.liquidBase + "/token")])
        let app = try await server.post(
            path, ["grant_type": "authorization_code", "code": code, "client_id": Phone.bundle, "scope": scope],
            headers: dpop(.post, path, token: service.accessToken))
        try #require(app.outcome == "200", "app: \(app.body)")
        return (app, service)
    }
}
