import Database
import Foundation
import Synchronization
import Testing

/// SIGSTOP for processes of the PostgreSQL that the tests use, which therefore must be on this machine.
enum StoppedProcess {
    struct Elsewhere: Error, CustomStringConvertible {
        let pid: Int
        var description: String { "process \(pid) is no PostgreSQL of this machine: these tests need one here" }
    }

    static func during(_ pid: Int, _ body: () async throws -> Void) async throws {
        try stop(pid)
        defer { resume(pid) }
        try await body()
    }

    static func stop(_ pid: Int) throws {
        let name = try? String(contentsOfFile: "/proc/\(pid)/comm", encoding: .utf8)
        guard pid > 1, name?.hasPrefix("postgres") == true, kill(pid_t(pid), SIGSTOP) == 0 else {
            throw Elsewhere(pid: pid)
        }
    }

    static func resume(_ pid: Int) { kill(pid_t(pid), SIGCONT) }

    /// While it waits for its client, and so holds nothing of the server's. One that listens is woken by what others
    /// notify; stopped while it reads that, it keeps a lock without which nobody in the whole cluster can listen.
    static func duringItsRest(_ pid: Int, _ body: () async throws -> Void) async throws {
        while true {
            try stop(pid)
            if await isAtRest(pid) { break }
            resume(pid)
            try await Task.sleep(for: .milliseconds(20))
        }
        defer { resume(pid) }
        try await body()
    }

    /// Its own word for what it waits for stands as it was when it stopped. Asked on a connection that ends with this:
    /// what the process holds may be what the question wants.
    private static func isAtRest(_ pid: Int) async -> Bool {
        while let stat = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
            stat.split(separator: ")").last?.hasPrefix(" T") != true
        {
            await Task.yield()
        }
        guard let conninfo = try? TestDatabase.conninfo() else { return false }
        let asking = Database(
            .init(connectionString: conninfo, connections: 1, statementTimeout: 10, waitLimit: 10),
            logger: TestDatabase.quiet)
        let waits: String? = try? await asking.value(
            "select coalesce(wait_event, '') from pg_stat_activity where pid = \(pid)")
        await asking.close()
        return waits == "ClientRead"
    }
}

/// What a closure leaves behind.
final class Box<Value: Sendable>: Sendable {
    private let content = Mutex<Value?>(nil)

    var value: Value? {
        get { content.withLock { $0 } }
        set { content.withLock { $0 = newValue } }
    }
}

func isUnavailable(_ error: DatabaseError) -> Bool { if case .unavailable = error { true } else { false } }

/// With limits as short as tests have them a busy machine misses one now and then.
@discardableResult
func reached<Value>(_ body: () async throws -> Value, unless isOver: () -> Bool = { false }) async throws -> Value {
    for _ in 0..<60 {
        do { return try await body() } catch let error as DatabaseError where isUnavailable(error) && !isOver() {
            try await Task.sleep(for: .milliseconds(50))
        }
    }
    return try await body()
}
