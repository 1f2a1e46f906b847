import Base
import Synchronization

/// The event streams of this process: each is a connection, and looks at the database every few seconds. Of one browser
/// the newest few stay: that a page is gone is noticed late, so the oldest makes room for the next. Beyond `most`, and
/// `ofOneAddress`, no more begin: a page without its stream asks by itself.
public final class OpenStreams: Sendable {
    public static let ofProcess = OpenStreams(most: 5_000, ofOneBrowser: 8, ofOneAddress: 200)

    /// One stream, while it lasts.
    final class Place: Sendable {
        private struct State {
            var isOver = false
            var look: Task<WatchedEvents.State, any Error>?
        }

        let browser: String?
        fileprivate let neighbourhood: [UInt8]?
        private let state = Mutex(State())

        fileprivate init(browser: String?, neighbourhood: [UInt8]?) {
            (self.browser, self.neighbourhood) = (browser, neighbourhood)
        }

        /// Another took its place.
        var isOver: Bool { state.withLock { $0.isOver } }

        /// Ends what is waited for now; nothing is waited for again.
        func end() {
            let look = state.withLock { state in
                state.isOver = true
                return state.look
            }
            look?.cancel()
        }

        /// `body`, which is cancelled with the caller, and when this is over.
        func look(
            _ body: @escaping @Sendable () async throws -> WatchedEvents.State
        ) async throws -> WatchedEvents.State {
            let look = Task { try await body() }
            let isOver = state.withLock { state in
                state.look = look
                return state.isOver
            }
            if isOver { look.cancel() }
            return try await withTaskCancellationHandler {
                try await look.value
            } onCancel: {
                look.cancel()
            }
        }
    }

    private struct State {
        var count = 0
        /// The oldest first.
        var places: [String: [Place]] = [:]
        var neighbourhoods: [[UInt8]: Int] = [:]
    }

    private let most: Int
    private let ofOneBrowser: Int
    private let ofOneAddress: Int
    private let state = Mutex(State())

    init(most: Int, ofOneBrowser: Int, ofOneAddress: Int) {
        (self.most, self.ofOneBrowser, self.ofOneAddress) = (most, ofOneBrowser, ofOneAddress)
    }

    /// Whether one more from this address would find no place.
    func isFull(for address: String?) -> Bool {
        let neighbourhood = OpenStreams.neighbourhood(address)
        return state.withLock { !hasRoom($0, neighbourhood) }
    }

    /// `nil` where there are too many; what is given is to be given back by `leave`. `browser` is what its cookie says,
    /// `address` the sender's, as `PeerReading` tells it; `nil` for what has none.
    func enter(_ browser: String?, from address: String?) -> Place? {
        let neighbourhood = OpenStreams.neighbourhood(address),
            place = Place(browser: browser, neighbourhood: neighbourhood)
        let (isIn, oldest): (Bool, Place?) = state.withLock { state in
            guard hasRoom(state, neighbourhood) else { return (false, nil) }
            state.count += 1
            if let neighbourhood { state.neighbourhoods[neighbourhood, default: 0] += 1 }
            guard let browser else { return (true, nil) }
            state.places[browser, default: []].append(place)
            guard let all = state.places[browser], all.count > ofOneBrowser else { return (true, nil) }
            return (true, state.places[browser]?.removeFirst())
        }
        oldest?.end()
        return isIn ? place : nil
    }

    func leave(_ place: Place) {
        state.withLock { state in
            state.count -= 1
            if let neighbourhood = place.neighbourhood, let count = state.neighbourhoods[neighbourhood] {
                state.neighbourhoods[neighbourhood] = count > 1 ? count - 1 : nil
            }
            guard let browser = place.browser else { return }
            state.places[browser]?.removeAll { $0 === place }
            if state.places[browser]?.isEmpty == true { state.places[browser] = nil }
        }
    }

    private func hasRoom(_ state: State, _ neighbourhood: [UInt8]?) -> Bool {
        state.count < most && neighbourhood.map { state.neighbourhoods[$0, default: 0] < ofOneAddress } ?? true
    }

    /// Addresses that count as one: of IPv6 the network of 64 bits, in which a host takes as many as it wants (RFC
    /// 8981). One that cannot be read is itself.
    private static func neighbourhood(_ address: String?) -> [UInt8]? {
        guard let address else { return nil }
        guard let bytes = IPAddress(address)?.unmapped.bytes else { return Array(address.utf8) }
        return bytes.count == 16 ? Array(bytes.prefix(8)) : bytes
    }
}
