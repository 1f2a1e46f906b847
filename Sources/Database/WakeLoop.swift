import Logging

/// The life of a worker over rows that fall due: it does what there is, then sleeps until a notification or for a pause.
///
/// * The first round is at once, and rounds follow one another until one finds nothing: a backlog waits for nobody.
/// * What is told of in the middle of a round is one more round. A notification that is lost costs a pause: the table is what counts.
/// * While rounds fail, the wait between them grows to five seconds, whatever is told meanwhile.
public struct WakeLoop: Sendable {
    private let what: String
    private let database: Database
    private let channel: String?
    private let pause: Duration
    private let logger: Logger
    private let round: @Sendable () async throws -> Int

    /// - Parameters:
    ///   - what: the rows, in the plural, for the log.
    ///   - channel: where is told of new ones; without it there is only the pause.
    ///   - round: claims some of what is due and deals with it; how many it claimed. What it could not do must not be due at once again.
    public init(_ what: String, in database: Database, channel: String? = nil, pause: Duration = .milliseconds(500), logger: Logger,
                round: @escaping @Sendable () async throws -> Int) {
        (self.what, self.database, self.channel, self.pause) = (what, database, channel, pause)
        (self.logger, self.round) = (logger, round)
    }

    /// Until cancelled; also in the middle of a backlog.
    public func run() async {
        // One that is not yet taken stands for all that come after it.
        let (wakes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        await withTaskGroup(of: Void.self) { group in
            if let channel { group.addTask { for await _ in database.listen(channel) { continuation.yield() } } }
            group.addTask {
                while !Task.isCancelled {
                    continuation.yield()
                    try? await Task.sleep(for: pause)
                }
                continuation.finish()
            }
            for await _ in wakes { await empty() }
            group.cancelAll()
        }
    }

    private func empty() async {
        var backoff = Backoff()
        while !Task.isCancelled {
            do {
                guard try await round() > 0 else { return }
                backoff.succeeded()
            } catch {
                guard !Task.isCancelled else { return }
                logger.warning("\(what) wait: the database does not answer", metadata: ["error": "\(error)"])
                try? await Task.sleep(for: backoff.next())
            }
        }
    }
}
