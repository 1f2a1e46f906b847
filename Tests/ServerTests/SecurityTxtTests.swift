import Base
import Database
import Foundation
import HTTP
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import Pages
import TestSupport
import Testing

@Suite("RFC 9116 security.txt")
struct SecurityTxtTests {
    /// 2026-11-27, in the afternoon.
    private static let now = Date(numericDate: 1_795_790_000)

    private func ask(
        at root: String, of brand: Brand, method: HTTPRequest.Method = .get
    ) async throws -> TestResponse {
        let database = Database(.init(connectionString: "host=/nonexistent dbname=none"), logger: .quiet)
        let table = RouteTable(
            root: root, services: [], database: database, brand: brand, clock: WallClock { Self.now })
        let reply = try await Application(responder: table.router().buildResponder(), logger: .quiet).test(.router) {
            try await $0.execute(uri: "/.well-known/security.txt", method: method) { $0 }
        }
        await database.close()
        return reply
    }

    private let brand = Brand(name: "Hochschule", securityContact: "https://example.org/security")

    @Test("contact, the end of the 90 days that begin today, and where it stands; without the database")
    func document() async throws {
        let reply = try await ask(at: "https://id.example.org", of: brand)

        #expect(reply.status == .ok && reply.headers[.contentType] == "text/plain; charset=utf-8")
        #expect(reply.headers[.cacheControl] == "public, max-age=3600")
        #expect(
            String(buffer: reply.body) == """
                Contact: https://example.org/security
                Expires: 2027-02-25T00:00:00Z
                Canonical: https://id.example.org/.well-known/security.txt

                """)
    }

    @Test("over plain HTTP it does not say where it stands")
    func plain() async throws {
        let reply = try await ask(at: "http://localhost:8080", of: brand)

        #expect(String(buffer: reply.body).split(separator: "\n").count == 2)
    }

    @Test("it is read and nothing else, and where nobody is named it is not there")
    func refused() async throws {
        let written = try await ask(at: "https://id.example.org", of: brand, method: .post)
        let missing = try await ask(at: "https://id.example.org", of: .pando)

        #expect(written.status == .methodNotAllowed && written.headers[.allow]?.contains("GET") == true)
        #expect(missing.status == .notFound)
    }
}
