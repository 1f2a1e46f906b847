import Synchronization
import TestSupport

/// Runs sequences against the server; makes them small when they fail.
struct TreeTrial {
    struct Failure: Sendable {
        /// Up to the one where it showed.
        let operations: [Operation]
        let story: [String]
        let difference: String

        var account: String { (story + [difference]).joined(separator: "\n") }
    }

    let server: TestServer
    var misbelief: Misbelief?

    /// `nil` when server and model agree in all. Stock is taken after every few operations and at the end.
    func failure(of operations: [Operation], stockEvery: Int) async throws -> Failure? {
        var machine = TreeMachine(try await CleanSlate(server), misbelief: misbelief), story: [String] = []
        for (index, operation) in operations.enumerated() {
            do {
                if let line = try await machine.perform(operation) { story.append("\(operation.number). \(line)") }
                let isLast = index == operations.count - 1
                if isLast || (index + 1) % stockEvery == 0 { try await machine.takeStock(whole: isLast) }
            } catch {
                return Failure(
                    operations: Array(operations[...index]), story: story, difference: "\(operation.number). \(error)")
            }
        }
        return nil
    }

    /// The same in a server in which nothing has been before.
    static func failureInNewServer(of operations: [Operation]) async throws -> Failure? {
        let found = Mutex<Failure?>(nil)
        try await TestServer.with(connections: 4) { server in
            let failure = try await TreeTrial(server: server).failure(of: operations, stockEvery: 1)
            found.withLock { $0 = failure }
        }
        return found.withLock { $0 }
    }

    /// The same failure, or another, with as few operations as can be found in so many attempts. The first takes stock
    /// after each operation, which tells with which it showed; then taking stock at the end will do.
    func shrunk(_ failure: Failure, attempts: Int) async throws -> Failure {
        var least = try await self.failure(of: failure.operations, stockEvery: 1) ?? failure
        _ = try await Shrinker.shrink(least.operations, attempts: attempts) { operations in
            guard let again = try await self.failure(of: operations, stockEvery: operations.count + 1) else {
                return nil
            }
            least = again
            return again.operations
        }
        return least
    }
}
