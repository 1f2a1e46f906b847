/// What a pool does at a moment, for whoever watches it.
public struct PoolUse: Sendable, Equatable {
    /// Connections that stand or are being made.
    public var open = 0
    public var inUse = 0
    /// Callers who have no connection yet.
    public var waiting = 0
    /// The most connections there may be.
    public var limit = 0
}
