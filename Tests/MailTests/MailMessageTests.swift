import Foundation
import Testing

@testable import Mail

@Suite("Mail: addresses and messages")
struct MailMessageTests {
    private static let long = String(repeating: "a", count: 65)

    @Test(
        "what is no address of the kind that servers take is none",
        arguments: [
            "", "ada", "ada@", "@example.org", "ada@example.org\r\nBcc: eve@example.org", "ada@example.org\n",
            "ada @example.org", "<ada@example.org>", "ada@example.org, eve@example.org", "ada@exa\u{0}mple.org",
            "ada@example..org", ".ada@example.org", "ada@-\u{e9}.org", "ad\u{e4}@example.org", "a@b@example.org",
            "\"ada\"@example.org", "ada@[127.0.0.1]", "\(long)@example.org",
        ])
    func refused(_ text: String) {
        #expect(MailAddress(text) == nil)
    }

    @Test("an address is kept as it is", arguments: ["ada@example.org", "a.b+c_d-e@x-1.example", "o'neil@example.org"])
    func taken(_ text: String) {
        #expect(MailAddress(text)?.text == text)
    }

    @Test("a sender is an address, or a name before one")
    func sender() {
        #expect(MailSender("Pando <no-reply@example.org>")?.name == "Pando")
        #expect(MailSender("no-reply@example.org")?.name == nil)
        #expect(MailSender("Pando\r\nBcc: eve@example.org <no-reply@example.org>") == nil)
        #expect(MailSender("Pando <nobody>") == nil)
    }

    private func message(subject: String, text: String = "Hello", name: String = "Pando") throws -> MailMessage {
        let from = try #require(MailSender("\(name) <no-reply@example.org>"))
        let to = try #require(MailAddress("ada@example.org"))
        return MailMessage(
            from: from, to: to, subject: subject, text: text, html: "<p>Hello</p>",
            date: Date(timeIntervalSince1970: 1_700_000_000), id: "m-1", language: "en")
    }

    private func headers(_ message: MailMessage) -> [String] {
        let head = message.source.split(separator: "\r\n\r\n", maxSplits: 1)[0]
        return head.replacing("\r\n ", with: " ").split(separator: "\r\n").map(String.init)
    }

    @Test(
        "a subject adds no header, whatever it is",
        arguments: ["Hi\r\nBcc: eve@example.org", "Hi\nX: y", "\u{2028}Hi", "é\r\n\r\nbody", "=?utf-8?B?SGk=?="])
    func injection(_ subject: String) throws {
        let names = headers(try message(subject: subject)).map { String($0.prefix { $0 != ":" }) }

        #expect(
            names == [
                "Date", "From", "To", "Subject", "Message-ID", "MIME-Version", "Auto-Submitted", "Content-Language",
                "Content-Type",
            ])
    }

    @Test("a subject that is no ASCII stands in encoded words of at most 75 letters, none of which breaks a character")
    func encoded() throws {
        let subject = "Bitte bestätigen Sie Ihre Adresse — größer als eine Zeile fasst, und noch größer 🌳🌳🌳🌳"
        let line = try #require(headers(try message(subject: subject)).first { $0.hasPrefix("Subject: ") })
        let words = line.dropFirst(9).split(separator: " ").map(String.init)
        let texts = words.map { word in
            Data(base64Encoded: String(word.dropFirst(10).dropLast(2))).flatMap { String(data: $0, encoding: .utf8) }
        }

        #expect(words.count > 1 && words.allSatisfy { $0.utf8.count <= 75 && $0.hasPrefix("=?utf-8?B?") })
        #expect(texts.compactMap(\.self).joined() == subject)
    }

    @Test("the body is lines of at most 76 letters of ASCII that end with CRLF, and decodes to what it was")
    func body() throws {
        let text = "Grüße = 1\n" + String(repeating: "lang ", count: 40) + "\n.\nblank at the end \n"
        let source = try message(subject: "Hi", text: text).source
        let encoded = MailEncoding.quotedPrintable(text)
        let lines = source.split(separator: "\r\n", omittingEmptySubsequences: false)

        #expect(lines.allSatisfy { $0.utf8.count <= 78 && $0.utf8.allSatisfy { $0 < 0x80 && $0 != 10 && $0 != 13 } })
        #expect(source.contains(encoded) && source.hasSuffix("--=_m-1--\r\n"))
        #expect(decoded(encoded) == text)
    }

    private func decoded(_ text: String) -> String? {
        var bytes: [UInt8] = [], rest = Array(text.replacing("=\r\n", with: "").replacing("\r\n", with: "\n").utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "=") else {
                bytes.append(byte)
                continue
            }
            guard let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    @Test("a name is quoted, and the date is that of RFC 5322")
    func head() throws {
        let lines = headers(try message(subject: "Hi", name: "Pando, of \"here\""))

        #expect(lines[0] == "Date: Tue, 14 Nov 2023 22:13:20 +0000")
        #expect(lines[1] == "From: \"Pando, of \\\"here\\\"\" <no-reply@example.org>")
        #expect(lines[4] == "Message-ID: <m-1@example.org>")
    }

    @Test("a server that is not there is for later, and the reason names nobody")
    func away() async throws {
        let server = SMTPServer(url: "smtp://127.0.0.1:1", login: nil, needsTLS: false, authorities: nil)

        let outcome = await server.send(try message(subject: "Hi"))

        #expect(outcome == .later("libcurl 7"))
    }
}
