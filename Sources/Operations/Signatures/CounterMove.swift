import PowerAuth

/// How a right signature changes its registration: the counter stands behind it, and a key that the phone had asked for
/// and has now used takes the place of the one before.
struct CounterMove: Sendable {
    let steps: Int
    /// What to expect next time: 16 bytes in protocol 3, 32 in 4.
    let next: [UInt8]
    /// `nil`: they stay.
    var secrets: Sealed?

    init(_ match: FactorSignature.Match) { (steps, next) = (match.steps, match.next.bytes) }

    init(steps: Int, next: [UInt8], secrets: Sealed? = nil) {
        (self.steps, self.next, self.secrets) = (steps, next, secrets)
    }
}
