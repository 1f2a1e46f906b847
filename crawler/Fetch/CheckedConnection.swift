import AsyncHTTPClient
import Base
import NIOCore

/// Connections to addresses that have been checked, for whoever asks on the word of a stranger: the crawler, and
/// `OutsideRequest`.
enum CheckedConnection {
    /// All addresses of the host; one forbidden address refuses the name.
    static func addresses(
        of url: WebURL, _ policy: AddressPolicy, _ resolver: Resolver, loopback: Bool
    ) async throws -> [IPAddress] {
        let addresses: [IPAddress] =
            switch url.host {
            case .address(let address): [address]
            case .name(let name): try await resolver.addresses(name)
            }
        if let forbidden = addresses.first(where: { !policy.permits($0, loopback: loopback) }) {
            throw CrawlFailure(.address, "\(url.hostText) is at \(forbidden), which is not asked")
        }
        return addresses
    }

    /// The client that connects to `address` whatever the host's name resolves to by now, once.
    static func client(
        for url: WebURL, at address: IPAddress, connectTime: Duration, headerBytes: Int, bodyBytes: Int
    ) -> HTTPClient {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow, decompression: .enabled(limit: .size(bodyBytes)))
        configuration.timeout.connect = TimeAmount(connectTime)
        configuration.httpVersion = .http1Only
        configuration.maximumUsesPerConnection = 1
        configuration.connectionPool.retryConnectionEstablishment = false
        if case .name(let name) = url.host { configuration.dnsOverride = [name: address.description] }
        // Room for chunk sizes and TLS records besides headers and body.
        let limit = bodyBytes + headerBytes + bodyBytes / 4
        configuration.http1_1ConnectionDebugInitializer = { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(SentBytes(limit: limit), position: .first)
            }
        }
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// The result of `work`, or a `timeout` after `limit`; `work` is cancelled then.
    static func within<T: Sendable>(
        _ limit: Duration, _ work: @escaping @Sendable () async throws -> T
    ) async throws -> T {
        try await withThrowingTaskGroup(of: T.self) { group in
            group.addTask(operation: work)
            group.addTask {
                try await Task.sleep(for: limit)
                throw CrawlFailure(.timeout, "no whole answer within \(limit)")
            }
            defer { group.cancelAll() }
            guard let first = try await group.next() else { throw CancellationError() }
            return first
        }
    }
}
