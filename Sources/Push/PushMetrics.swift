import Metrics

/// What came of pushes, for `/metrics` (docs/operate.md, "Health, metrics, logs"). A counter is made on its first use,
/// when the process has chosen its backend.
public struct PushMetrics: Sendable {
    private let product: String
    private let factory: (any MetricsFactory)?

    /// `factory`: `nil` is that of the process.
    public init(product: String, factory: (any MetricsFactory)? = nil) {
        (self.product, self.factory) = (product, factory)
    }

    /// `provider` is one of few; `nil` in place of a result: there was no answer.
    public func record(_ result: PushResult?, by provider: String) {
        let dimensions = [("product", product), ("provider", provider), ("outcome", PushMetrics.word(result))]
        Counter(
            label: "pando_pushes_total", dimensions: dimensions, factory: factory ?? MetricsSystem.factory
        ).increment()
    }

    /// Records what `deliver` comes to, and gives it.
    public func recording(
        by provider: String, _ deliver: () async throws -> PushResult
    ) async throws -> PushResult {
        do {
            let result = try await deliver()
            record(result, by: provider)
            return result
        } catch {
            record(nil, by: provider)
            throw error
        }
    }

    private static func word(_ result: PushResult?) -> String {
        switch result {
        case .delivered: "delivered"
        case .addressGone: "gone"
        case .refused: "refused"
        case .later: "later"
        case nil: "unanswered"
        }
    }
}
