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
