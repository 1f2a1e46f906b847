import CLibCurl
import Dispatch
import Foundation

/// The server that takes our mail. Each message has a connection of its own, bounded in time; sending blocks threads of
/// its own, never those of others.
public struct SMTPServer: Sendable {
    /// What became of a message.
    public enum Outcome: Sendable, Equatable {
        case sent
        /// A later try may do: the server is away, does not let us in, or answered 4xx.
        case later(String)
        /// The server will not have it (5xx).
        case refused(String)
    }

    /// Seconds that one message may take: fewer than a graceful stop, since nothing ends it. What claims it holds it
    /// for longer.
    public static let timeLimit = 15

    private let url: String
    private let login: (user: String, password: String)?
    private let needsTLS: Bool
    private let authorities: String?
    private static let isReady: Bool = {
        signal(SIGPIPE, SIG_IGN)
        return pando_curl_start() != 0
    }()

    /// - Parameters:
    ///   - url: `smtp://HOST[:PORT]` (TLS by STARTTLS, RFC 3207) or `smtps://HOST[:PORT]` (RFC 8314, 3.3).
    ///   - needsTLS: what is not encrypted is not sent.
    ///   - authorities: a PEM file with whose certificates are believed; `nil`: the system's.
    public init(url: String, login: (user: String, password: String)?, needsTLS: Bool, authorities: String?) {
        (self.url, self.login, self.needsTLS, self.authorities) = (url, login, needsTLS, authorities)
    }

    /// Hands one message over. What is told of a failure names no address: servers write those into their answers.
    public func send(_ message: MailMessage) async -> Outcome {
        await withCheckedContinuation { continuation in
            // A serial queue has a thread of its own while it waits. A concurrent one shares those of all tasks, of
            // which there are as many as cores: a mail server that is silent would stop the whole process.
            DispatchQueue(label: "pando.mail").async { continuation.resume(returning: handOver(message)) }
        }
    }

    /// What libcurl reads, piece by piece.
    private final class Source {
        let bytes: [UInt8]
        var place = 0

        init(_ text: String) { bytes = Array(text.utf8) }

        func fill(_ buffer: UnsafeMutablePointer<CChar>, _ room: Int) -> Int {
            let count = min(room, bytes.count - place)
            guard count > 0 else { return 0 }
            bytes.withUnsafeBytes { all in
                UnsafeMutableRawPointer(buffer).copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: all[place..<(place + count)]).baseAddress ?? .init(buffer),
                    byteCount: count)
            }
            place += count
            return count
        }
    }

    private func handOver(_ message: MailMessage) -> Outcome {
        guard SMTPServer.isReady, let curl = curl_easy_init() else { return .later("libcurl does not start") }
        defer { curl_easy_cleanup(curl) }
        let recipients = curl_slist_append(nil, "<\(message.to.text)>")
        defer { curl_slist_free_all(recipients) }
        let source = Source(message.source)
        let isSet = [
            pando_curl_url(curl, url), pando_curl_tls(curl, needsTLS ? 1 : 0, authorities),
            pando_curl_limits(curl, 5, SMTPServer.timeLimit),
            pando_curl_mail(curl, "<\(message.from.address.text)>", recipients),
            login.map { pando_curl_login(curl, $0.user, $0.password) } ?? 1,
            pando_curl_upload(
                curl,
                { buffer, size, count, context in
                    guard let buffer, let context else { return 0 }
                    return Unmanaged<Source>.fromOpaque(context).takeUnretainedValue().fill(buffer, size * count)
                }, Unmanaged.passUnretained(source).toOpaque()),
        ].allSatisfy { $0 != 0 }
        guard isSet else { return .later("libcurl does not take the settings") }
        let code = withExtendedLifetime(source) { pando_curl_perform(curl) }
        guard code != 0 else { return .sent }
        let answer = pando_curl_answer(curl)
        let reason = "libcurl \(code)" + (answer == 0 ? "" : ", the server answered \(answer)")
        // 530, 534, 535: we are not let in (RFC 4954, 6), which an operator mends.
        return (550..<560).contains(answer) ? .refused(reason) : .later(reason)
    }
}
