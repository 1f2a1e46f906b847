import Dispatch
import Foundation

/// Ctrl-C and SIGTERM as cancellation, for work that has something to clean up.
enum Interruption {
    /// Runs `body` in a task that a signal cancels. The caller's own goes on, and can end what was made.
    static func cancelling<Result: Sendable>(
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let work = Task { try await body() }
        let sources = [SIGINT, SIGTERM].map { number in
            // Else the signal's own effect ends the process at once.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { work.cancel() }
            source.resume()
            return source
        }
        defer {
            for source in sources { source.cancel() }
            for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
        }
        return try await withTaskCancellationHandler {
            try await work.value
        } onCancel: {
            work.cancel()
        }
    }
}
