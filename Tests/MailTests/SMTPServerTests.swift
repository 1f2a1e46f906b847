import Foundation
import Testing

@testable import Mail

@Suite("Mail: servers that say nothing")
struct SMTPServerTests {
    /// Takes connections, and says nothing until it is closed.
    private struct Silence {
        let handle: Int32, port: UInt16

        init() throws {
            handle = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let bound = withUnsafeMutablePointer(to: &address) { [handle] in
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    bind(handle, address, length) == 0 && listen(handle, 64) == 0
                        && getsockname(handle, address, &length) == 0
                }
            }
            try #require(bound)
            port = UInt16(bigEndian: address.sin_port)
        }
    }

    @Test("keep nobody else waiting: each message blocks a thread of its own")
    func blocking() async throws {
        let silence = try Silence()
        let server = SMTPServer(
            url: "smtp://127.0.0.1:\(silence.port)", login: nil, needsTLS: false, authorities: nil)
        let from = try #require(MailSender("no-reply@example.org")), to = try #require(MailAddress("ada@example.org"))
        let message = MailMessage(
            from: from, to: to, subject: "Hello", text: "Hello", html: "<p>Hello</p>", date: Date(), id: "m-1",
            language: "en")

        let outcomes = try await withThrowingTaskGroup(of: SMTPServer.Outcome.self) { group in
            for _ in 0..<16 { group.addTask { await server.send(message) } }
            // A task that runs beside them closes the door: were all threads blocked, it would come too late, after
            // their timeout.
            for _ in 0..<100 { await Task.yield() }
            try await Task.sleep(for: .milliseconds(200))
            close(silence.handle)
            var outcomes: [SMTPServer.Outcome] = []
            for try await outcome in group { outcomes.append(outcome) }
            return outcomes
        }

        #expect(
            outcomes.allSatisfy {
                guard case .later(let reason) = $0 else { return false }
                return !reason.contains("ada") && !reason.lowercased().contains("timeout")
            })
    }
}
