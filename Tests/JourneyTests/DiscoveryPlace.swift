import Base
import Database
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// Discovery as a service of the server, with one service to find, and a phone with a person.
struct DiscoveryPlace: Sendable {
    static let path = "/services/discovery"
    static let base = ServerParts.root + path
    static let question: JSONValue = ["org.example.a"]

    let server: TestServer
    let campus: IndexedService
    let phone: Phone
    let pat: Reply

    static func with(
        listing: String = "public", _ body: @escaping @Sendable (DiscoveryPlace) async throws -> Void
    ) async throws {
        try await TestServer.with(options: .init(listing: listing, roles: ["discovery"])) { server in
            try await server.parts.composition.prepare()
            let campus = IndexedService("campus", ["org.ietf.oauth2", "org.example.a"])
            try await campus.enter(server.database, at: server.time.now)
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn()
            try await body(DiscoveryPlace(server: server, campus: campus, phone: phone, pat: pat))
        }
    }

    func assertion() async throws -> String { try await phone.assertion(pat, for: Self.base) }

    func redeem(_ assertion: String) async throws -> Reply {
        try await server.post(
            Self.path + "/token",
            ["grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion": assertion])
    }

    /// With a token or an assertion, shown with a new proof by `key`; by `scheme` as the header has it.
    func shown(
        _ token: String, _ method: HTTPRequest.Method = .post, at path: String, scheme: String = "DPoP",
        by key: PhoneKey? = nil
    ) throws -> HTTPFields {
        [
            .authorization: "\(scheme) \(token)",
            .proof: try phone.proof(method, Self.path + path, token: token, by: key),
        ]
    }

    func ask(
        _ token: String, _ question: JSONValue = DiscoveryPlace.question, at path: String = "/protocol-discovery",
        scheme: String = "DPoP", query: String = "", more: HTTPFields = [:]
    ) async throws -> Reply {
        var headers = try shown(token, at: path, scheme: scheme)
        for field in more { headers[field.name] = field.value }
        return try await server.post(Self.path + path + query, json: question, headers: headers)
    }

    /// Ends something at the IdP, and tells the services.
    func tell(_ body: () async throws -> Void) async throws {
        try await body()
        for _ in 0..<3 { try await server.sendEvents() }
    }
}
