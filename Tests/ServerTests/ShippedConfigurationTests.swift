import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import HTTP
@testable import Server

/// Each file of deploy/ is read as its own tool reads it, and loaded as `pando serve` does.
@Suite("Shipped configurations")
struct ShippedConfigurationTests {
    enum Shape: String, CaseIterable { case unit, compose, image }

    private static let outside = ["PANDO_ISSUER": "https://id.example.org", "POSTGRES_PASSWORD": "secret"]

    private static func settings(_ shape: Shape) async throws -> Settings {
        let image = try ShippedFile("Containerfile").image
        switch shape {
        case .unit:
            let unit = try ShippedFile("pando.service").unit, file = try ShippedFile("pando.env").environmentLines
            return try await Settings(shipped: unit.merging(file) { $1 })
        case .compose:
            return try await Settings(shipped: image.merging(try ShippedFile("compose.yaml").compose(outside)) { $1 })
        case .image: return try await Settings(shipped: image)
        }
    }

    // swift-format-ignore: NeverForceUnwrap
    private static let forwarded: HTTPFields = [.init("X-Forwarded-For")!: "203.0.113.7"]

    @Test("every file is loaded, and each says what it must", arguments: Shape.allCases)
    func loaded(_ shape: Shape) async throws {
        let settings = try await Self.settings(shape)

        #expect(settings.port == 8080)
        #expect(settings.roles == Set(Settings.Role.usual))
        switch shape {
        case .unit:
            #expect(settings.bind == ["127.0.0.1"] && settings.issuer.scheme == "https")
            #expect(settings.masterKeyFile == "/run/credentials/master.key")
            #expect(settings.database == "host=/run/postgresql user=pando dbname=pando")
        case .compose:
            #expect(settings.issuer.withoutQuery == "https://id.example.org" && settings.bind == ["0.0.0.0"])
            #expect(settings.masterKeyFile == "/run/secrets/master_key")
            #expect(settings.database == "host=postgres user=pando dbname=pando password=secret")
        case .image: #expect(settings.bind == ["0.0.0.0"] && settings.database.isEmpty)
        }
    }

    @Test(
        "the proxy that a file names is believed, and nobody else",
        arguments: [
            (
                .unit, ["127.0.0.1", "::1", "::ffff:127.0.0.1"],
                ["10.0.0.5", "172.31.254.1", "192.168.1.1", "203.0.113.9", "2001:db8::9", "fe80::1"]
            ),
            (
                .compose, ["172.31.254.2", "::ffff:172.31.254.2"],
                // HAProxy's neighbours on the network of the project are the database and whatever else runs there; the
                // rest of the private ranges is somebody's.
                [
                    "172.31.254.1", "172.31.254.14", "172.17.0.1", "172.16.0.1", "192.168.0.1", "10.0.0.5", "127.0.0.1",
                    "203.0.113.9",
                ]
            ),
            (.image, [], ["127.0.0.1", "::1", "172.17.0.1", "10.0.0.5"]),
        ] as [(Shape, [String], [String])])
    func trust(_ shape: Shape, inside: [String], outside: [String]) async throws {
        let proxies = try await Self.settings(shape).transport.proxies

        for peer in inside { #expect(proxies.origin(peer: peer, Self.forwarded) == "203.0.113.7", "\(peer)") }
        for peer in outside { #expect(proxies.origin(peer: peer, Self.forwarded) == peer, "\(peer)") }
    }

    @Test(
        "a server with this trust, asked from 127.0.0.1, writes into its audit trail who that was",
        arguments: [
            (.unit, "203.0.113.7"), (.compose, "127.0.0.1"), (.image, "127.0.0.1"),
        ] as [(Shape, String)])
    func served(_ shape: Shape, origin: String) async throws {
        var options = TestServerOptions(proxies: try await Self.settings(shape).transport.proxies)
        options.takesCertificates = false
        try await TestServer.with(options: options) { server in
            let phone = try await Phone.registered(in: server), token = phone.instance.accessToken
            let headers = try phone.dpop(.post, "/revoke", token: token).merging(Self.forwarded)

            #expect(try await server.post("/revoke", ["token": token], headers: headers).outcome == "200")

            let told: String? = try await server.database.value(
                "select origin from audit where origin is not null order by at desc, id desc limit 1")
            #expect(told == origin)
        }
    }

    @Test(
        "certificates in headers are taken where the proxy beside writes them, and nobody else is believed",
        arguments: Shape.allCases)
    func certificates(_ shape: Shape) async throws {
        #expect(try await Self.settings(shape).transport.takesCertificates == (shape == .compose))
        guard shape == .unit else { return }
        var environment = try ShippedFile("pando.env").environmentLines
        environment["PANDO_CLIENT_CERTIFICATE_HEADER"] = "Client-Cert"
        #expect(try await Settings(shipped: environment).transport.takesCertificates)
    }

    @Test("the proxy of compose writes the address and the certificate itself, and drops what a client says of them")
    func headers() throws {
        let lines = try ShippedFile("compose/haproxy.cfg").lines.map { $0.trimmingCharacters(in: .whitespaces) }

        for name in ["Forwarded", "Client-Cert", "X-SSL-Client-Verify"] {
            #expect(lines.contains("http-request del-header \(name)"), "\(name)")
        }
        #expect(lines.contains("http-request set-header X-Forwarded-For %[src]"))
    }

    @Test("each server is reached by its proxy alone: on loopback, or in the network of the project")
    func proxy() async throws {
        let unit = try await Self.settings(.unit),
            upstream = try ShippedFile("proxy/Caddyfile").value(of: "reverse_proxy")
        let compose = try ShippedFile("compose.yaml"), address = "\(unit.bind[0]):\(unit.port)"

        #expect(upstream?.hasPrefix("\(address) ") == true)
        let proxy = try #require(compose.compose(Self.outside)["PANDO_TRUSTED_PROXY"])
        #expect(compose.value(of: "default: {") == "ipv4_address: \(proxy) }")
        let network = try #require(compose.value(of: "- subnet:").flatMap { CIDR($0) })
        #expect(network.contains(try #require(IPAddress(proxy))) && network.bits >= 24)
        // Where anybody may come in there is HAProxy; what operators look at is this machine's alone.
        let ports = compose.lines.filter { $0.contains("ports:") }.map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(ports.count == 3 && ports.contains("ports: [\"443:8443\"]"))
        #expect(ports.count { $0.hasPrefix("ports: [\"127.0.0.1:") } == 2)
    }
}

extension HTTPFields {
    fileprivate func merging(_ others: HTTPFields) -> HTTPFields {
        var all = self
        for field in others { all[field.name] = field.value }
        return all
    }
}
