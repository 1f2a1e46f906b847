import Synchronization

/// What is remembered while there is room: what was asked for last is kept, what nobody asks for goes. Says nothing of
/// whether it is true still. Compiled for each kind of key and value where it is used.
public final class BoundedMemory<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    @usableFromInline struct State {
        @usableFromInline var young: [Key: Value] = [:]
        /// What was young before.
        @usableFromInline var old: [Key: Value] = [:]

        @inlinable init() {}
    }

    @usableFromInline let state = Mutex(State())
    @usableFromInline let half: Int

    /// `most` values at once; the younger half of them is certain to be kept.
    public init(most: Int) { half = max(1, most / 2) }

    /// `nil` forgets.
    @inlinable public subscript(key: Key) -> Value? {
        get {
            state.withLock { state in
                if let value = state.young[key] { return value }
                guard let value = state.old[key] else { return nil }
                keep(value, key, &state)
                return value
            }
        }
        set {
            state.withLock { state in
                guard let newValue else { return (state.young[key], state.old[key]) = (nil, nil) }
                keep(newValue, key, &state)
            }
        }
    }

    @inlinable func keep(_ value: Value, _ key: Key, _ state: inout State) {
        if state.young.count >= half, state.young[key] == nil { (state.old, state.young) = (state.young, [:]) }
        state.young[key] = value
    }
}
