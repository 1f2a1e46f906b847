import Foundation
import Logging

/// Brings spans to a collector by OTLP over HTTP (opentelemetry.io/docs/specs/otlp, "OTLP/HTTP"), to a file, or to
/// both.
///
/// * 200: taken, but what `partialSuccess` counts as rejected.
/// * 429, 502, 503 and 504: sent again after `Retry-After`, or after a pause that doubles and is spread by chance; so
///   is what had no answer. Five tries; then the batch is dropped.
/// * Anything else, redirects among it: dropped, since it would be answered so again.
///
/// Meanwhile the queue fills, and what does not fit is dropped and counted.
public struct SpanExport: Sendable {
    /// How a collector answered.
    public struct Answer: Sendable {
        let status: Int
        /// Seconds, or a date, as it stands in the header (RFC 9110, 10.2.3).
        let retryAfter: String?
        let body: [UInt8]

        public init(status: Int, retryAfter: String? = nil, body: [UInt8] = []) {
            (self.status, self.retryAfter, self.body) = (status, retryAfter, body)
        }
    }

    /// Posts JSON; bounds its own time.
    public typealias Post = @Sendable (_ body: [UInt8]) async throws -> Answer

    static let tries = 5
    static let longestPause = Duration.seconds(30)
    private static let again: Set<Int> = [429, 502, 503, 504]

    private let queue: SpanQueue
    private let encoding: OTLPSpans
    private let file: SpanFile?
    private let post: Post?
    private let metrics: TraceMetrics
    private let logger: Logger
    private let pause: Duration
    private let farewell: Duration
    private let now: @Sendable () -> Date
    private let chance: @Sendable () -> Double
    private let sleep: @Sendable (Duration) async throws -> Void

    /// `pause`: how long spans are gathered. `farewell`: how long a slow collector may keep a process that was told to
    /// go. `chance` is from 0 to 1.
    public init(
        _ queue: SpanQueue, as encoding: OTLPSpans, file: SpanFile? = nil, post: Post? = nil,
        metrics: TraceMetrics = TraceMetrics(), logger: Logger, pause: Duration = .seconds(1),
        farewell: Duration = .seconds(5),
        now: @escaping @Sendable () -> Date = { Date() },
        chance: @escaping @Sendable () -> Double = { .random(in: 0...1) },
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        (self.queue, self.encoding, self.file, self.post, self.metrics) = (queue, encoding, file, post, metrics)
        self.farewell = farewell
        (self.logger, self.pause, self.now, self.chance, self.sleep) = (logger, pause, now, chance, sleep)
    }

    /// Until cancelled; then what waits goes out once more, in one try, within `farewell`.
    public func run() async {
        await queue.run(pause: pause) { await send($0, tries: SpanExport.tries) }
        // A task of its own: it is not cancelled with this one.
        let last = Task { await flush() }
        let limit = Task {
            try await Task.sleep(for: farewell)
            last.cancel()
        }
        await last.value
        limit.cancel()
    }

    /// What waits now, in one try each; ends at the first that a collector does not take, and when it is cancelled.
    public func flush() async {
        while let batch = queue.next() { guard await send(batch, tries: 1), !Task.isCancelled else { return } }
    }

    @discardableResult
    private func send(_ batch: [FinishedSpan], tries: Int) async -> Bool {
        guard let body = try? encoding.json(batch) else { return true }
        if let file { write(body, batch.count, to: file) }
        guard let post else { return true }
        return await send(body, batch.count, tries: tries, by: post)
    }

    private func write(_ line: [UInt8], _ count: Int, to file: SpanFile) {
        do {
            try file.append(line)
            metrics.count(.written, count)
        } catch {
            metrics.count(.unwritten, count)
            logger.warning("spans were not written", metadata: ["file": "\(file.path)", "error": "\(error)"])
        }
    }

    private func send(_ body: [UInt8], _ count: Int, tries: Int, by post: @escaping Post) async -> Bool {
        var reason = ""
        for attempt in 1...tries {
            var demanded: Duration?
            do {
                let answer = tries > 1 ? try await finishing(body, by: post) : try await post(body)
                if answer.status == 200 {
                    took(count, answer.body)
                    return true
                }
                guard SpanExport.again.contains(answer.status) else {
                    metrics.count(.refused, count)
                    logger.warning(
                        "a collector refused spans", metadata: ["status": "\(answer.status)", "spans": "\(count)"])
                    return true
                }
                demanded = answer.retryAfter.flatMap { seconds($0) }
                reason = "status \(answer.status)"
            } catch {
                // Types alone: what a client says of an address is nobody's business in a log.
                reason = String(describing: type(of: error))
            }
            guard attempt < tries else { break }
            do {
                try await sleep(demanded.map { min($0, SpanExport.longestPause) } ?? backoff(attempt))
            } catch { break }
        }
        metrics.count(.gaveUp, count)
        logger.warning("a collector does not take spans", metadata: ["reason": "\(reason)", "spans": "\(count)"])
        return false
    }

    /// In a task of its own: what is under way when this one is cancelled is not torn off, but has `farewell` to
    /// arrive.
    private func finishing(_ body: [UInt8], by post: @escaping Post) async throws -> Answer {
        let sending = Task { try await post(body) }
        return try await withTaskCancellationHandler {
            try await sending.value
        } onCancel: {
            Task {
                try await Task.sleep(for: farewell)
                sending.cancel()
            }
        }
    }

    private func took(_ count: Int, _ body: [UInt8]) {
        let rejected = min(count, SpanExport.rejected(body))
        metrics.count(.refused, rejected)
        metrics.count(.exported, count - rejected)
        if rejected > 0 { logger.warning("a collector rejected spans", metadata: ["spans": "\(rejected)"]) }
    }

    /// One second, doubling; half of it at least.
    private func backoff(_ attempt: Int) -> Duration {
        min(.seconds(1 << (attempt - 1)), SpanExport.longestPause) * (0.5 + 0.5 * chance())
    }

    private func seconds(_ text: String) -> Duration? {
        if let seconds = Int(text) { return seconds >= 0 ? .seconds(min(seconds, 86_400)) : nil }
        let form = DateFormatter()
        form.locale = Locale(identifier: "en_US_POSIX")
        form.timeZone = TimeZone(identifier: "GMT")
        form.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return form.date(from: text).map { .seconds(min(max(0, $0.timeIntervalSince(now())), 86_400)) }
    }

    /// `{"partialSuccess": {"rejectedSpans": "3"}}`; a number is taken as well, which some write.
    private static func rejected(_ body: [UInt8]) -> Int {
        guard let object = try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any],
            let partial = object["partialSuccess"] as? [String: Any], let value = partial["rejectedSpans"]
        else { return 0 }
        return max(0, (value as? String).flatMap(Int.init) ?? (value as? Int) ?? 0)
    }
}
