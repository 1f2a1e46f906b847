import Accounts
import Base
import Foundation
import HTTPTypes
import Hummingbird
import Synchronization
import Vocabulary

/// How many requests one address may send: so many a second, and of twenty seconds at once. In the memory of this
/// process, so each replica has its own measure. It is wide, since a school has one address; what is dear has limits of
/// its own.
///
/// A request that showed who sends it, and succeeded, is given back: a service may look at as many tokens as it likes.
public final class AddressLimit: Sendable {
    private static let seconds = 20.0
    /// Tables, so that threads seldom wait for one another.
    private static let shards = 16
    /// Addresses that a table remembers.
    private static let most = 4_096

    private struct Table {
        var buckets: [SenderNetwork: TokenBucket] = [:]
        var sweptAt = Date.distantPast
    }

    private final class Shard: Sendable {
        let table = Mutex(Table())
    }

    private let rate: Double
    private let exempt: [CIDR]
    private let policy: ServiceLimit.Policy
    private let tables: [Shard]
    private let tally: RefusalTally
    private let clock: WallClock

    private var burst: Double { rate * AddressLimit.seconds }

    /// `nil` where `rate`, in requests a second, is 0. `exempt`: addresses whose requests are not counted.
    public init?(rate: Int, exempt: [CIDR], tally: RefusalTally, clock: WallClock) {
        guard rate > 0 else { return nil }
        (self.rate, self.exempt, self.tally, self.clock) = (Double(rate), exempt, tally, clock)
        policy = ServiceLimit.Policy("address", burst: Double(rate) * AddressLimit.seconds, rate: Double(rate))
        tables = (0..<AddressLimit.shards).map { _ in Shard() }
    }

    /// `nil`: nothing of this sender is counted.
    func network(_ address: String?) -> SenderNetwork? { exempt.unlisted(address).map(SenderNetwork.init) }

    /// The same; `nil` for a sender who is not counted.
    func take(from address: String?) throws -> ServiceLimit? {
        try network(address).map { try take($0, from: address) }
    }

    /// Takes one, and tells what is left. Throws `slow_down` (429).
    func take(_ network: SenderNetwork, from address: String?) throws -> ServiceLimit {
        let now = clock.now()
        let (isTaken, remaining, wait) = shard(of: network).table.withLock { table in
            var bucket = AddressLimit.bucket(of: network, in: &table, burst: burst, rate: rate, at: now)
            let isTaken = bucket.take(burst: burst, rate: rate, at: now)
            table.buckets[network] = bucket
            return (
                isTaken, bucket.remaining(burst: burst, rate: rate, at: now),
                Int(bucket.wait(rate: rate).rounded(.up))
            )
        }
        let limit = ServiceLimit(policy, remaining: isTaken ? remaining : 0, reset: wait)
        guard !isTaken else { return limit }
        tally.note(.address, from: address)
        throw OAuthError.exceeded(limit, "too many requests came from your address; try again in \(wait) seconds")
            .tallied
    }

    func giveBack(to network: SenderNetwork) {
        shard(of: network).table.withLock { $0.buckets[network]?.giveBack(burst: burst) }
    }

    private func shard(of network: SenderNetwork) -> Shard {
        tables[Int(UInt(bitPattern: network.hashValue) % UInt(AddressLimit.shards))]
    }

    /// Full buckets are forgotten now and then; in a table without room an arbitrary one goes.
    private static func bucket(
        of network: SenderNetwork, in table: inout Table, burst: Double, rate: Double, at now: Date
    ) -> TokenBucket {
        if let known = table.buckets[network] { return known }
        if table.buckets.count >= most {
            if abs(now.timeIntervalSince(table.sweptAt)) > seconds {
                table.sweptAt = now
                table.buckets = table.buckets.filter { !$0.value.isFull(burst: burst, rate: rate, at: now) }
            } else {
                table.buckets.remove(at: table.buckets.startIndex)
            }
        }
        return TokenBucket(full: burst, at: now)
    }
}

/// Counts each request by the address of its sender, unless it was before (`CrossOrigin`), and tells what is left
/// (`RateLimitFields`).
struct AddressLimiting: RouterMiddleware {
    let limit: AddressLimit

    func handle(
        _ request: Request, context: RoutedContext, next: (Request, RoutedContext) async throws -> Response
    ) async throws -> Response {
        guard let left = try context.left ?? limit.take(from: context.peer) else {
            return try await next(request, context)
        }
        do {
            var response = try await next(request, context)
            RateLimitFields.add(left, to: &response)
            return response
        } catch let refusal as OAuthError {
            throw refusal.beside(left)
        }
    }

    /// What shows who sends it and succeeds is not counted.
    static func givingBack(_ handler: @escaping Endpoint.Handler, _ limit: AddressLimit) -> Endpoint.Handler {
        { request, context in
            let response = try await handler(request, context)
            if response.status.code < 400, let network = limit.network(context.peer) { limit.giveBack(to: network) }
            return response
        }
    }
}
