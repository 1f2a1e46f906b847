/// Which traces are kept: what the program says that the trace came from, and of those that begin here a share
/// (OpenTelemetry's `ParentBased` around `TraceIdRatioBased`).
public struct TraceSampling: Sendable {
    /// 0 to 1.
    let share: Double

    public init(share: Double) { self.share = share }

    /// By the last seven bytes of its id, so that all who have the same share keep the same traces.
    func keeps(_ id: TraceContext.TraceID) -> Bool {
        guard share < 1 else { return true }
        let bits: UInt64 = 1 << 56
        return id.low & (bits - 1) < UInt64(max(share, 0) * Double(bits))
    }
}
