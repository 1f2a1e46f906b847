import Tracing

/// What travels with a task: who records, and which span it is in.
struct ActiveTrace: Sendable {
    let recorder: TraceRecorder
    /// `nil`: it is in none, as workers are until they take something in hand.
    let context: TraceContext?

    /// Of the task that asks. Not to be asked where no recorder was ever made (`TraceRecorder.isAnyMade`).
    static var current: ActiveTrace? { InstrumentationContext.current?[Key.self] }

    private enum Key: InstrumentationContextKey {
        typealias Value = ActiveTrace
        static var nameOverride: String? { "pando-trace" }
    }

    /// A context with this in it, and whatever else stands in `other`.
    func placed(in other: InstrumentationContext = .topLevel) -> InstrumentationContext {
        var placed = other
        placed[Key.self] = self
        return placed
    }

    init(_ recorder: TraceRecorder, _ context: TraceContext?) { (self.recorder, self.context) = (recorder, context) }

    init?(_ context: InstrumentationContext) {
        guard let active = context[Key.self] else { return nil }
        self = active
    }
}
