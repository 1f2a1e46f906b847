import Metrics

/// The room's numbers (docs/operate.md, "Health, metrics, logs"). Made on first use, when the process has chosen its
/// backend. What a transaction undoes is counted all the same.
struct TreeMetrics: Sendable {
    static let shared = TreeMetrics()

    private let revocations = Counter(label: "pando_revocations_total")

    func issued(_ kind: TokenKind) {
        Counter(label: "pando_tokens_issued_total", dimensions: [("kind", kind.rawValue)]).increment()
    }

    /// A node that was not revoked before.
    func revoked() { revocations.increment() }
}
