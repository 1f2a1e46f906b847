import Synchronization

/// Which callbacks answer late or not at all, as this process has seen lately, and which of them it is waiting for. They are sent apart from the others and from
/// one another (`CallbackSender`), so that a slow one holds up nobody else.
final class CallbackPace: Sendable {
    private static let remembered = Duration.seconds(600)
    /// Of how many late ones answers are waited for at once.
    private static let most = 64

    private struct State {
        var lateUntil: [String: ContinuousClock.Instant] = [:]
        var busy: Set<String> = []
    }

    private let patience: Duration
    private let state = Mutex(State())

    /// What takes longer is late.
    init(patience: Duration = .seconds(3)) { self.patience = patience }

    var late: [String] { state.withLock { CallbackPace.late(&$0) } }

    /// The late ones of which nothing is on its way; none when many are waited for.
    var idle: [String] {
        state.withLock { state in
            let busy = state.busy
            return busy.count < CallbackPace.most ? CallbackPace.late(&state).filter { !busy.contains($0) } : []
        }
    }

    /// After an answer, whatever it said; `nil`: after none. Whoever answers in time is late no more.
    func note(_ callback: String, took time: Duration?) {
        let isLate = time.map { $0 > patience } ?? true
        state.withLock { $0.lateUntil[callback] = isLate ? ContinuousClock.now + CallbackPace.remembered : nil }
    }

    func begin(_ callback: String) { state.withLock { _ = $0.busy.insert(callback) } }

    func end(_ callback: String) { state.withLock { _ = $0.busy.remove(callback) } }

    private static func late(_ state: inout State) -> [String] {
        let now = ContinuousClock.now
        state.lateUntil = state.lateUntil.filter { $0.value > now }
        return state.lateUntil.keys.sorted()
    }
}
