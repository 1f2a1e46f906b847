import Foundation

/// A message to one person: the same said in plain text and in HTML (RFC 2046, 5.1.4).
public struct MailMessage: Sendable {
    public let from: MailSender
    public let to: MailAddress
    public let subject: String
    public let text: String
    public let html: String
    public let date: Date
    /// What stands before the `@` of its Message-ID, and in its boundary: letters, digits, hyphens.
    public let id: String
    /// RFC 5646.
    public let language: String

    public init(
        from: MailSender, to: MailAddress, subject: String, text: String, html: String, date: Date, id: String,
        language: String
    ) {
        (self.from, self.to, self.subject, self.text, self.html) = (from, to, subject, text, html)
        (self.date, self.id, self.language) = (date, id, language)
    }

    /// As it is handed over: lines end with CRLF, and none is longer than 78 letters but for an address that is.
    /// `Auto-Submitted` (RFC 3834) keeps machines from answering.
    public var source: String {
        // No quoted-printable line has `=_` in it (RFC 2045, 6.7).
        let boundary = "=_\(id)", domain = from.address.text.drop { $0 != "@" }
        let sender =
            from.name.map { "\(MailEncoding.phrase($0)) <\(from.address.text)>" } ?? from.address.text
        let headers = [
            "Date: \(MailMessage.time(date))", "From: \(sender)", "To: \(to.text)",
            "Subject: \(MailEncoding.header(subject))", "Message-ID: <\(id)\(domain)>", "MIME-Version: 1.0",
            "Auto-Submitted: auto-generated", "Content-Language: \(language)",
            "Content-Type: multipart/alternative; boundary=\"\(boundary)\"",
        ]
        let parts = [("plain", text), ("html", html)].map { type, content in
            """
            --\(boundary)\r
            Content-Type: text/\(type); charset=utf-8\r
            Content-Transfer-Encoding: quoted-printable\r
            \r
            \(MailEncoding.quotedPrintable(content))
            """
        }
        return headers.joined(separator: "\r\n") + "\r\n\r\n" + parts.joined() + "--\(boundary)--\r\n"
    }

    /// RFC 5322, 3.3, in UTC.
    private static func time(_ date: Date) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let parts = calendar.dateComponents([.year, .month, .day, .weekday, .hour, .minute, .second], from: date)
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        func two(_ number: Int?) -> String { (number ?? 0) < 10 ? "0\(number ?? 0)" : "\(number ?? 0)" }
        let day = days[((parts.weekday ?? 1) - 1) % 7], month = months[((parts.month ?? 1) - 1) % 12]
        return "\(day), \(two(parts.day)) \(month) \(parts.year ?? 0) "
            + "\(two(parts.hour)):\(two(parts.minute)):\(two(parts.second)) +0000"
    }
}
