import Base

/// Addresses that have been checked, for whoever asks on the word of a stranger: the crawler, and `OutsideRequest`.
enum CheckedConnection {
    /// All addresses of the host; one forbidden address refuses the name.
    nonisolated(nonsending) static func addresses(
        of url: WebURL, _ policy: AddressPolicy, _ resolver: Resolver, loopback: Bool, until deadline: ExchangeDeadline
    ) async throws -> [IPAddress] {
        let addresses: [IPAddress] =
            switch url.host {
            case .address(let address): [address]
            case .name(let name): try await within(deadline) { try await resolver.addresses(name) }
            }
        if let forbidden = addresses.first(where: { !policy.permits($0, loopback: loopback) }) {
            throw CrawlFailure(.address, "\(url.hostText) is at \(forbidden), which is not asked")
        }
        return addresses
    }

    /// The result of `work`, or a `timeout` at the deadline; `work` is cancelled then.
    private static func within<T: Sendable>(
        _ deadline: ExchangeDeadline, _ work: @escaping @Sendable () async throws -> T
    ) async throws -> T {
        try await withThrowingTaskGroup(of: T.self) { group in
            group.addTask(operation: work)
            group.addTask {
                try await Task.sleep(for: deadline.left)
                throw deadline.passed
            }
            defer { group.cancelAll() }
            guard let first = try await group.next() else { throw CancellationError() }
            return first
        }
    }
}
