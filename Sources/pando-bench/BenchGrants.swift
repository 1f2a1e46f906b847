import Base
import Foundation
import Keys
import PandoClient
import Registration
import Simulators
import TokenTree
import Vocabulary

/// Requests of grants, each good once and made beforehand: of one person on one phone, with a proof each.
struct BenchGrants: Sendable {
    /// Made for each second measured.
    private static let abundance = 2_500
    private static let makers = 32

    let server: BenchServer
    let seconds: Int
    let person: BenchPerson

    private var count: Int { BenchGrants.abundance * (seconds + 1) }

    /// Each of a family of its own, below the person's instance.
    func rotations() async throws -> [DemoRequest] {
        let store = server.composition.store, row = try await row()
        let draft = TokenDraft(row.body, inherited: Array(row.lineage.dropLast()), lifetime: 3_600, refresh: .init())
        let tokens = try await made { try await store.issue(draft).refreshToken ?? "" }
        var left = tokens[...]
        return try BenchProgress.making(tokens.count, within: .seconds(8)) {
            try proven("/token", [("grant_type", "refresh_token"), ("refresh_token", left.popFirst() ?? "")])
        }
    }

    /// An assertion for one service, by a personal access token.
    func assertions() throws -> [DemoRequest] {
        try BenchProgress.making(count, within: .seconds(8)) {
            let form = [("response_type", "code"), ("resource", server.issuer + "/services/viewer")]
            return try person.request("POST", "/authorization", .form(form))
        }
    }

    /// The standard way to an assertion (RFC 8693).
    func exchanges() throws -> [DemoRequest] {
        try BenchProgress.making(count, within: .seconds(8)) {
            let form = [
                ("grant_type", GrantType.tokenExchange.rawValue), ("subject_token", person.token),
                ("subject_token_type", TokenType.accessToken.rawValue),
                ("resource", server.issuer + "/services/viewer"),
            ]
            return try person.request("POST", "/token", .form(form))
        }
    }

    /// Assertions as the service is shown them, each with an identifier and a node of its own: the first is real, and
    /// the others are signed by the same key.
    func redemptions() async throws -> [DemoRequest] {
        let form = DemoRequest.Body.form([("response_type", "code"), ("resource", server.issuer + "/services/viewer")])
        let answer = try await server.send(try person.request("POST", "/authorization", form))
        let real = try Keys.JWT(try answer.text("code")).claims, keys = server.composition.keys
        let lineage = real["lineage"]?.strings ?? []
        let assertions = try await made {
            var claims = real
            claims["jti"] = .string(NodeID(endless: .system).description)
            claims["lineage"] = JSONValue(strings: lineage.dropLast() + [UUID().uuidString])
            return try await keys.sign(type: JWTType.serviceAssertion.rawValue, claims: claims)
        }
        let url = server.issuer + "/services/viewer/token"
        return assertions.map {
            DemoRequest(
                method: "POST", url: url,
                body: .form([("grant_type", GrantType.jwtBearer.rawValue), ("assertion", $0)]))
        }
    }

    /// Codes of a web application for the person, each with a verifier (RFC 7636), an ID token and a refresh token to
    /// come.
    func codes() async throws -> [DemoRequest] {
        let composition = server.composition, store = composition.store, row = try await row()
        guard let account = row.body.account else { throw BenchFailure.notServing }
        let clients = WebClientStore(clock: composition.clock, randomness: composition.randomness)
        let redirect = "https://bench.example.org/callback"
        let (client, secret) = try await clients.create(
            WebClientDraft(name: "bench web", redirectURIs: [redirect]), in: composition.database)
        let owner = account.uuidString.lowercased()
        let above = try await store.generations(of: [
            .epoch, .init(.account, owner), .init(.client, client.id), .init(.grant, "\(owner)/\(client.id)"),
        ])
        let verifier = String(repeating: "verifier", count: 6), challenge = Base64URL.encode(Digest.sha256(verifier))
        let binding = CodeBinding(challenge: challenge, redirectURI: redirect, isRedirectNamed: true)
        let body = TokenBody(
            realm: "idp", kind: .code, parent: nil, anchor: above[3], account: account, client: client.id,
            scope: "openid profile email", claims: TokenClaims(subject: owner, code: binding))
        let codes = try await made {
            let random = Randomness.system.bytes(32)
            let issued = try await store.issue(
                TokenDraft(body, inherited: [], added: above, lifetime: 600, secret: Digest.sha256(random)))
            return Base64URL.encode(withUnsafeBytes(of: issued.row.id.rawValue.uuid) { Array($0) } + random)
        }
        let basic = Data("\(client.id):\(secret ?? "")".utf8).base64EncodedString()
        return codes.map {
            DemoRequest(
                method: "POST", url: server.issuer + "/token", headers: [("Authorization", "Basic \(basic)")],
                body: .form([
                    ("grant_type", "authorization_code"), ("code", $0), ("redirect_uri", redirect),
                    ("code_verifier", verifier),
                ]))
        }
    }

    /// The person's token, as it stands in the tree.
    private func row() async throws -> TokenRow {
        guard let id = try Keys.JWT(person.token).string("jti").flatMap({ NodeID($0) }),
            let row = try await server.composition.store.find(id)
        else { throw BenchFailure.notServing }
        return row
    }

    private func made(_ make: @escaping @Sendable () async throws -> String) async throws -> [String] {
        try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in 0..<BenchGrants.makers {
                group.addTask {
                    var made: [String] = []
                    for _ in 0...(count / BenchGrants.makers) { made.append(try await make()) }
                    return made
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }

    private func proven(_ path: String, _ form: [(String, String)]) throws -> DemoRequest {
        let url = server.issuer + path
        return DemoRequest(
            method: "POST", url: url, headers: [("DPoP", try person.holder.proof("POST", url))], body: .form(form))
    }
}
