import Base
import Database
import Foundation
import IdentityProvider
import Logging
import Mail
import Synchronization
import TestSupport
import Testing

/// The mail server of a test: keeps what it is handed, or says what it is told to.
final class Mailbox: Sendable {
    private let server: TestServer
    private let kept = Mutex<[MailMessage]>([])
    private let answer = Mutex(SMTPServer.Outcome.sent)

    init(_ server: TestServer) { self.server = server }

    func answers(_ outcome: SMTPServer.Outcome) { answer.withLock { $0 = outcome } }

    /// What a round or more of the worker hand over.
    func fetch() async throws -> [MailMessage] {
        let from = try #require(MailSender("Pando <no-reply@example.org>"))
        let worker = MailWorker(
            server.parts.idp.web.recovery,
            .init(from: from, language: "en") { message in
                let outcome = self.answer.withLock { $0 }
                if outcome == .sent { self.kept.withLock { $0.append(message) } }
                return outcome
            }, issuer: ServerParts.root, database: server.database, clock: server.time.clock, logger: .quiet)
        while try await worker.sendDue() > 0 {}
        return kept.withLock { kept in
            defer { kept = [] }
            return kept
        }
    }

    /// How many wait.
    func waiting() async throws -> Int {
        Int(try await server.number("select count(*) from mail"))
    }
}

extension MailMessage {
    /// Paths of the links in the text that lead to pages of ours.
    func links(_ page: String) -> [String] {
        text.matches(of: #/http:\/\/localhost:8080(\/recover\/[a-z]+\?link=[A-Za-z0-9_\-]{43})(?:\s|$)/#).map {
            String($0.1)
        }.filter { $0.hasPrefix("/recover/\(page)?") }
    }
}

extension TestServer {
    /// What a question for a number answers.
    func number(_ question: SQL) async throws -> Int64 { try await database.value(question) }

    /// One with a mail server, and its mailbox.
    static func withMail(
        flags: [String: String] = [:], _ body: @Sendable (TestServer, Mailbox) async throws -> Void
    ) async throws {
        var options = TestServerOptions(hasMail: true)
        options.flags = flags
        try await with(options: options) { try await body($0, Mailbox($0)) }
    }
}
