import AsyncHTTPClient
import Foundation
import NIOCore

/// HTTP to those whom the federation knows: key sets of issuers and clients, events endpoints of services. Bounded in time and size; follows no redirects.
struct Peers: Sendable {
    struct Refused: Error, CustomStringConvertible { let description: String }

    private static let timeLimit = TimeAmount.seconds(5)
    private static let sizeLimit = 1 << 20

    private static let client: HTTPClient = {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow, timeout: .init(connect: .seconds(3), read: .seconds(5)))
        configuration.connectionPool.idleTimeout = .seconds(30)
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    func fetch(_ url: String) async throws -> [UInt8] {
        let response = try await Peers.client.execute(HTTPClientRequest(url: url), timeout: Peers.timeLimit)
        guard response.status == .ok else { throw Refused(description: "status \(response.status.code)") }
        return Array((try await response.body.collect(upTo: Peers.sizeLimit)).readableBytesView)
    }

    /// The status of a push (RFC 8935, 2).
    func push(_ body: String, to url: String) async throws -> Int {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/secevent+jwt")
        request.headers.add(name: "Accept", value: "application/json")
        request.body = .bytes(ByteBuffer(string: body))
        let response = try await Peers.client.execute(request, timeout: Peers.timeLimit)
        _ = try await response.body.collect(upTo: Peers.sizeLimit)
        return Int(response.status.code)
    }

    static func close() async throws { try await client.shutdown() }
}
