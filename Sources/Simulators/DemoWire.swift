import AsyncHTTPClient
import Base
import PandoClient

/// Real HTTP, as a phone would speak it.
public struct DemoWire: Sendable {
    private let transport: Transport

    public init(client: HTTPClient) { transport = .asyncHTTPClient(client) }

    private init(transport: Transport) { self.transport = transport }

    /// By a client that lives as long as `body`.
    public static func open<Result: Sendable>(_ body: (DemoWire) async throws -> Result) async throws -> Result {
        try await Transport.withAsyncHTTPClient { try await body(DemoWire(transport: $0)) }
    }

    public func send(_ request: DemoRequest) async throws -> DemoExchange { try await exchange(request).0 }

    func exchange(_ request: DemoRequest) async throws -> (DemoExchange, Transport.Response) {
        let response = try await execute(request)
        let cookies = response.headers.filter { $0.name.lowercased() == "set-cookie" }.compactMap {
            $0.value.split(separator: ";", maxSplits: 1).first.map(String.init)
        }
        let exchange = DemoExchange(
            request: request, status: response.status, body: (try? JSONReader.read(response.body)) ?? .null,
            plain: String(decoding: response.body, as: UTF8.self), cookies: cookies)
        return (exchange, response)
    }

    private func execute(_ request: DemoRequest) async throws -> Transport.Response {
        let type = request.contentType.map { [(name: "Content-Type", value: $0)] } ?? []
        let outgoing = Transport.Request(
            method: request.method, url: request.url, headers: request.headers + type,
            body: Array((request.bodyText ?? "").utf8))
        do {
            return try await transport.send(outgoing)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            let origin = WebAddress(request.url)?.origin ?? request.url
            throw DemoFailure.unreachable(origin, cause: DemoWire.words(for: error))
        }
    }

    private static func words(for error: any Error) -> String {
        switch error {
        case let error as HTTPClientError where [.connectTimeout, .deadlineExceeded, .readTimeout].contains(error):
            "it took too long"
        case let error as HTTPClientError: error.shortDescription
        default: "no connection"
        }
    }
}
