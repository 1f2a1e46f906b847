import Foundation
import Logging
import NIOPosix
import ServiceLifecycle

#if canImport(Glibc)
import Glibc
#endif

/// Tells systemd how this process is (sd_notify(3)): a datagram to the socket that `NOTIFY_SOCKET` names, with
/// assignments a line each. Nothing is waited for, and where nobody listens nothing is lost.
struct SupervisorNotice: Sendable {
    private let address: [UInt8]
    /// Within which systemd wants to hear that the process lives (sd_watchdog_enabled(3)); `nil` where it does not.
    let watchdog: Duration?

    /// `nil` where no supervisor asked to be told.
    init?(environment: [String: String] = ProcessInfo.processInfo.environment, process: Int32 = getpid()) {
        guard let path = environment["NOTIFY_SOCKET"], let first = path.utf8.first, path.utf8.count > 1,
            first == UInt8(ascii: "/") || first == UInt8(ascii: "@"), path.utf8.count < SupervisorNotice.longest
        else { return nil }
        // An abstract name begins with NUL, which is written as @ (unix(7)).
        address = (first == UInt8(ascii: "@") ? [0] : [first]) + path.utf8.dropFirst()
        let isOurs = environment["WATCHDOG_PID"].map { Int32($0) == process } ?? true
        watchdog = environment["WATCHDOG_USEC"].flatMap { isOurs ? Int64($0) : nil }.flatMap {
            $0 > 0 ? .microseconds($0) : nil
        }
    }

    private static var longest: Int { MemoryLayout.size(ofValue: sockaddr_un().sun_path) }

    func tell(_ assignments: String...) {
        let socket = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { return }
        defer { close(socket) }
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: address) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + address.count),
            text = Array(assignments.joined(separator: "\n").utf8)
        _ = withUnsafePointer(to: &name) { name in
            name.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(socket, text, text.count, Int32(MSG_NOSIGNAL), $0, length)
            }
        }
    }

    /// That settings are read again; `READY=1` ends it.
    func tellReloading() {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        tell("RELOADING=1", "MONOTONIC_USEC=\(Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1_000)")
    }
}

/// Says twice within the time that systemd gives that the process lives, as long as event loops and tasks get their
/// turns; systemd starts one anew that says nothing.
struct WatchdogNotices: Service {
    let notice: SupervisorNotice
    let interval: Duration

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while true {
                for loop in MultiThreadedEventLoopGroup.singleton.makeIterator() { try await loop.submit {}.get() }
                notice.tell("WATCHDOG=1")
                try await Task.sleep(for: interval / 2)
            }
        }
    }
}
