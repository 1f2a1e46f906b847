import Foundation
import Testing

@testable import Server

@Suite("What systemd is told")
struct SupervisorNoticeTests {
    @Test(
        "who names no socket of the machine is told nothing",
        arguments: ["", "/", "@", "relative", "vsock:2:1", "/" + String(repeating: "a", count: 200)])
    func nobody(_ path: String) {
        #expect(SupervisorNotice(environment: ["NOTIFY_SOCKET": path]) == nil)
        #expect(SupervisorNotice(environment: [:]) == nil)
    }

    @Test("nobody listens: nothing happens")
    func away() throws {
        let notice = try #require(SupervisorNotice(environment: ["NOTIFY_SOCKET": "/nonexistent/notify"]))

        notice.tell("READY=1")
        notice.tellReloading()

        #expect(notice.watchdog == nil)
    }

    @Test(
        "the watchdog is this process's, and of some length",
        arguments: [
            ("30000000", nil, Duration.seconds(30)), ("30000000", "17", .seconds(30)), ("30000000", "18", nil),
            ("0", nil, nil), ("-1", nil, nil), ("soon", nil, nil),
        ] as [(String, String?, Duration?)])
    func watchdog(microseconds: String, process: String?, expected: Duration?) {
        var environment = ["NOTIFY_SOCKET": "@pando", "WATCHDOG_USEC": microseconds]
        environment["WATCHDOG_PID"] = process

        #expect(SupervisorNotice(environment: environment, process: 17)?.watchdog == expected)
    }
}
