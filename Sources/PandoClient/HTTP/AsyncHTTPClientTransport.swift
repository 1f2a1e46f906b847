import AsyncHTTPClient
import NIOCore

extension Transport {
    /// By a client of the caller's, who shuts it down. Its redirects should be off.
    public static func asyncHTTPClient(
        _ client: HTTPClient, timeLimit: Duration = .seconds(15), sizeLimit: Int = 1 << 20
    ) -> Transport {
        Transport { request in
            var outgoing = HTTPClientRequest(url: request.url)
            outgoing.method = .init(rawValue: request.method)
            for header in request.headers { outgoing.headers.add(name: header.name, value: header.value) }
            if !request.body.isEmpty { outgoing.body = .bytes(ByteBuffer(bytes: request.body)) }
            let answer = try await client.execute(outgoing, timeout: TimeAmount(timeLimit))
            let body = try await answer.body.collect(upTo: sizeLimit)
            return Response(
                status: Int(answer.status.code), headers: answer.headers.map { ($0.name, $0.value) },
                body: Array(body.readableBytesView))
        }
    }

    /// By a client that lives as long as `body`, without redirects.
    public static func withAsyncHTTPClient<Result: Sendable>(
        isolation: isolated (any Actor)? = #isolation, _ body: (Transport) async throws -> Result
    ) async throws -> Result {
        let configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow, timeout: .init(connect: .seconds(3)))
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        do {
            let result = try await body(.asyncHTTPClient(client))
            try await client.shutdown()
            return result
        } catch {
            try? await client.shutdown()
            throw error
        }
    }
}
