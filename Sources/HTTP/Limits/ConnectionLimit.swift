import Accounts
import Base
import NIOCore
import Synchronization

/// How many connections this process has, all listeners together, and how many one address may have. One too many is
/// closed at once, before a byte of it is read: whoever holds connections open, at next to no cost, does not keep
/// others out. What counts connections that are closed goes with it.
///
/// It also knows when a storm of them is over (`settled`): what malloc keeps of thousands is worth giving back then.
public final class ConnectionLimit: Sendable {
    private struct State {
        var open = 0
        var byNetwork: [SenderNetwork: Int] = [:]
        /// The most that were open since memory was last given back.
        var peak = 0
    }

    /// A connection of more than the limits allow.
    struct Exceeded: Error {}

    /// So many that are gone are worth giving memory back: each leaves some 40 KiB.
    private static let storm = 500

    private let most: Int
    private let perAddress: Int
    private let exempt: [CIDR]
    private let tally: RefusalTally?
    let closures: ConnectionClosures?
    private let state = Mutex(State())

    /// `most`, `perAddress`: 0 for any number; with both, no address has more than half of all. `exempt`: addresses
    /// that may have as many as there can be.
    public init(
        most: Int, perAddress: Int, exempt: [CIDR], tally: RefusalTally?, closures: ConnectionClosures? = nil
    ) {
        self.perAddress = most > 0 ? min(perAddress, max(1, most / 2)) : perAddress
        (self.most, self.exempt, self.tally, self.closures) = (most, exempt, tally, closures)
    }

    public var open: Int { state.withLock { $0.open } }

    /// Counts a new connection until it closes. Throws `Exceeded`.
    func admit(_ channel: any Channel) throws {
        let address = channel.remoteAddress?.ipAddress
        let network = try enter(address)
        channel.closeFuture.whenComplete { [self] _ in leave(network) }
    }

    /// - Returns: by what it is counted; to be handed back to `leave`.
    func enter(_ address: String?) throws -> SenderNetwork? {
        let network = network(address)
        let exceeded: ConnectionClosures.Reason? = state.withLock { state in
            if most > 0, state.open >= most { return .processLimit }
            if let network {
                let count = state.byNetwork[network, default: 0]
                guard count < perAddress else { return .addressLimit }
                state.byNetwork[network] = count + 1
            }
            state.open += 1
            state.peak = max(state.peak, state.open)
            return nil
        }
        if let exceeded {
            tally?.note(.connection, from: address)
            closures?.note(exceeded)
            throw Exceeded()
        }
        return network
    }

    func leave(_ network: SenderNetwork?) {
        state.withLock { state in
            state.open -= 1
            guard let network else { return }
            let left = state.byNetwork[network, default: 1] - 1
            state.byNetwork[network] = left > 0 ? left : nil
        }
    }

    /// Whether many that were open since it was last asked with this answer are gone now.
    public func settled() -> Bool {
        state.withLock { state in
            guard state.peak - state.open >= ConnectionLimit.storm else { return false }
            state.peak = state.open
            return true
        }
    }

    /// `nil`: it has no limit of its own.
    private func network(_ address: String?) -> SenderNetwork? {
        perAddress > 0 ? exempt.unlisted(address).map(SenderNetwork.init) : nil
    }
}
