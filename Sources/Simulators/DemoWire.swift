import AsyncHTTPClient
import Base
import Foundation
import NIOCore

/// Real HTTP, as a phone would speak it: no redirects, since none of these answers may go elsewhere.
public struct DemoWire: Sendable {
    private static let timeLimit = TimeAmount.seconds(15)
    private static let sizeLimit = 1 << 20

    let client: HTTPClient

    public init(client: HTTPClient) { self.client = client }

    /// A client that lives as long as `body`.
    public static func open<Result: Sendable>(_ body: (DemoWire) async throws -> Result) async throws -> Result {
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: .init(redirectConfiguration: .disallow, timeout: .init(connect: .seconds(3))))
        do {
            let result = try await body(DemoWire(client: client))
            try await client.shutdown()
            return result
        } catch {
            try? await client.shutdown()
            throw error
        }
    }

    public func send(_ request: DemoRequest) async throws -> DemoExchange {
        var outgoing = HTTPClientRequest(url: request.url)
        outgoing.method = .init(rawValue: request.method)
        for header in request.headers { outgoing.headers.add(name: header.name, value: header.value) }
        if let type = request.contentType, let text = request.bodyText {
            outgoing.headers.add(name: "Content-Type", value: type)
            outgoing.body = .bytes(ByteBuffer(string: text))
        }
        let (response, bytes) = try await execute(outgoing)
        let cookies = response.headers["Set-Cookie"].compactMap { $0.split(separator: ";", maxSplits: 1).first.map(String.init) }
        return DemoExchange(request: request, status: Int(response.status.code), body: (try? JSONReader.read(bytes)) ?? .null,
                            plain: String(decoding: bytes, as: UTF8.self), cookies: cookies)
    }

    private func execute(_ request: HTTPClientRequest) async throws -> (HTTPClientResponse, [UInt8]) {
        do {
            let response = try await client.execute(request, timeout: DemoWire.timeLimit)
            let body = try await response.body.collect(upTo: DemoWire.sizeLimit)
            return (response, Array(body.readableBytesView))
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw DemoFailure.unreachable(WebAddress(request.url)?.origin ?? request.url, cause: DemoWire.words(for: error))
        }
    }

    private static func words(for error: any Error) -> String {
        switch error {
        case let error as HTTPClientError where [.connectTimeout, .deadlineExceeded, .readTimeout].contains(error): "it took too long"
        case let error as HTTPClientError: error.shortDescription
        default: "no connection"
        }
    }
}
