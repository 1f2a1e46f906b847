import AsyncHTTPClient
import Foundation
import HTTP
import HTTPTypes
import NIOCore
import NIOSSL

extension TestServer {
    /// Of TLS: the newest that a client offers.
    public enum Version: Sendable {
        case v11, v12, v13

        /// Those that are in use.
        public static let current = [Version.v12, .v13]

        fileprivate var version: TLSVersion {
            switch self {
            case .v11: .tlsv11
            case .v12: .tlsv12
            case .v13: .tlsv13
            }
        }
    }

    /// The server behind a listener of its own with TLS, as `pando serve` would run it; `body` gets its port.
    public func listening(
        _ security: TransportSecurity?, headLimit: TimeAmount = .seconds(20), bodyLimit: TimeAmount = .seconds(20),
        _ body: @Sendable (_ port: Int) async throws -> Void
    ) async throws {
        let (ports, bound) = AsyncStream<Int>.makeStream()
        let listener = Listener(
            address: "127.0.0.1", port: 0, answering: .table(parts.routes), security: security,
            drain: parts.composition.drain,
            headLimit: headLimit, bodyLimit: bodyLimit, logger: .quiet
        ) { bound.yield($0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { bound.finish() }
                try await listener.run()
            }
            for await port in ports {
                try await body(port)
                break
            }
            group.cancelAll()
        }
    }

    /// The same server, reached over TLS by a client that trusts `authority` and shows `certificate`.
    public func overTLS(
        _ port: Int, trusting authority: TestAuthority, showing certificate: TestCertificate? = nil,
        with intermediates: [TestCertificate] = [],
        newest: Version? = nil, _ body: @Sendable (TestServer) async throws -> Void
    ) async throws {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .certificates([try NIOSSLCertificate(bytes: authority.own.der, format: .der)])
        tls.maximumTLSVersion = newest?.version
        if newest == .v11 { tls.minimumTLSVersion = .tlsv1 }
        if let certificate {
            tls.certificateChain = try ([certificate] + intermediates).map {
                .certificate(try NIOSSLCertificate(bytes: $0.der, format: .der))
            }
            tls.privateKey = .privateKey(try NIOSSLPrivateKey(bytes: Array(certificate.keyPEM.utf8), format: .pem))
        }
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls, redirectConfiguration: .disallow)
        configuration.httpVersion = .http1Only
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        let wire = Wire()
        wire.connect { method, path, headers, body in
            try await TestServer.send("https://localhost:\(port)\(path)", method, headers, body, by: client)
        }
        let result: Result<Void, any Error>
        do {
            result = .success(
                try await body(TestServer(parts: parts, wire: wire, residents: residents, secrets: secrets)))
        } catch { result = .failure(error) }
        try await client.shutdown()
        try result.get()
    }

    private static func send(
        _ url: String, _ method: HTTPRequest.Method, _ headers: HTTPFields, _ body: [UInt8]?, by client: HTTPClient
    ) async throws -> Reply {
        var request = HTTPClientRequest(url: url)
        request.method = .init(rawValue: method.rawValue)
        for field in headers { request.headers.add(name: field.name.rawName, value: field.value) }
        request.body = body.map { .bytes(ByteBuffer(bytes: $0)) }
        let response = try await client.execute(request, timeout: .seconds(30))
        var fields = HTTPFields()
        for (name, value) in response.headers {
            HTTPField.Name(name).map { fields.append(HTTPField(name: $0, value: value)) }
        }
        return Reply(
            status: Int(response.status.code), headers: fields,
            body: String(buffer: try await response.body.collect(upTo: 1 << 22)))
    }
}
