import Administration
import Foundation
import Logging

/// The old server's database, as `--from` names it: `mysql://USER@HOST:PORT/DATABASE`, or what libpq takes as
/// `postgresql://`.
///
/// A URL is an argument, which everybody on the machine sees: it never has a password. Over a network, secrets of
/// phones travel by TLS from the server that was named, unless the URL says otherwise.
enum LiveSource: Sendable, Equatable {
    struct Unacceptable: AdminRefusal, Equatable, CustomStringConvertible {
        /// Says what to write, and quotes nothing that could be a secret.
        let description: String

        init(_ description: String) { self.description = description }

        var failure: AdminFailure { AdminFailure(.usage, description) }
    }

    case mysql(MySQLAddress)
    /// A libpq URI.
    case postgresql(String)

    init(_ url: String) throws(Unacceptable) {
        guard url.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            throw Unacceptable("--from is a URL, without blanks and control characters")
        }
        // A mark behind a letter makes one character of both here, and stays two for libpq: it would find a password
        // where none is seen.
        guard url.utf8.allSatisfy({ $0 < 0x80 }) else {
            throw Unacceptable("--from is a URL, thus of ASCII: other letters are written in UTF-8 as %C3%B6")
        }
        let parts = try LiveURL(url)
        switch parts.scheme {
        case "mysql": self = .mysql(try MySQLAddress(parts))
        case "postgresql", "postgres": self = .postgresql(LiveSource.securing(url, parts))
        default: throw Unacceptable("--from takes mysql:// or postgresql://")
        }
    }

    /// libpq itself would do without TLS where a server, or who stands before it, says that there is none. It ignores
    /// `sslmode` on Unix sockets.
    private static func securing(_ written: String, _ parts: LiveURL) -> String {
        // It knows its own names in small letters alone.
        let url = parts.scheme + written.dropFirst(parts.scheme.count)
        let names = Set(parts.items.map(\.name))
        let isLoopback =
            names.isDisjoint(with: ["host", "hostaddr", "service"]) && parts.hosts.allSatisfy(LiveURL.isLoopback)
        guard names.isDisjoint(with: ["sslmode", "ssl"]), !isLoopback else { return url }
        return LiveSource.adding("sslmode=verify-full", to: url)
    }

    private static func adding(_ item: String, to url: String) -> String {
        url + (!url.contains("?") ? "?" : url.hasSuffix("?") ? "" : "&") + item
    }

    /// Without `password`, libraries read theirs of the environment: MYSQL_PWD, PGPASSWORD and `~/.pgpass`.
    func read(_ names: LiveTables.Names, password: String?, logger: Logger) async throws -> LiveTables {
        switch self {
        case .mysql(let address): try await MySQLTables.read(names, at: address, password: password)
        case .postgresql(let url):
            try await PostgreSQLTables.read(
                names, at: password.map { LiveSource.url(url, password: $0) } ?? url, logger: logger)
        }
    }

    /// For libpq alone.
    static func url(_ url: String, password: String) -> String {
        adding("password=\(LiveURL.encoded(password))", to: url)
    }
}

/// A URL of a database: libpq allows several hosts in one, and hosts that are paths, so Foundation's is too narrow.
struct LiveURL: Sendable {
    let scheme: String
    let user: String?
    /// With ports, as they are written.
    let authorities: [String]
    let path: String
    let items: [(name: String, value: String)]

    /// Refuses passwords wherever libpq or others would read one.
    init(_ url: String) throws(LiveSource.Unacceptable) {
        guard let mark = url.range(of: "://") else {
            throw .init("--from is a URL: mysql:// or postgresql://")
        }
        guard !url.contains("#") else { throw .init("--from: a # in it is written %23") }
        scheme = url[..<mark.lowerBound].lowercased()
        let rest = url[mark.upperBound...]
        let query = rest.firstIndex(of: "?").map { rest[rest.index(after: $0)...] }
        // libpq takes all before an @ for user and password, a question mark too, and would take what is added for
        // the name of the database.
        guard query?.contains("@") != true else { throw LiveURL.hasLateAt }
        let hierarchy = rest.prefix { $0 != "?" }
        let authority = hierarchy.prefix { $0 != "/" }
        path = try LiveURL.decoded(hierarchy.dropFirst(authority.count).drop { $0 == "/" })
        let at = authority.firstIndex(of: "@")
        if let at {
            let user = authority[..<at]
            guard !user.contains(":") else { throw LiveURL.hasPassword }
            self.user = user.isEmpty ? nil : try LiveURL.decoded(user)
        } else {
            user = nil
        }
        let places = at.map { authority[authority.index(after: $0)...] } ?? authority
        guard !places.contains("@") else { throw LiveURL.hasLateAt }
        authorities = places.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        var items: [(name: String, value: String)] = []
        for item in (query ?? "").split(separator: "&") {
            let sides = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = try LiveURL.decoded(sides[0]), value = sides.count == 2 ? try LiveURL.decoded(sides[1]) : ""
            guard !name.lowercased().contains("password") else { throw LiveURL.hasPassword }
            guard !items.contains(where: { $0.name == name }) else {
                throw .init("--from: a parameter stands there twice")
            }
            items.append((name, value))
        }
        self.items = items
    }

    private static let hasPassword = LiveSource.Unacceptable(
        """
        --from has no password, since everybody on this machine sees arguments: it is read from MYSQL_PWD or \
        PGPASSWORD, or with --password-stdin from stdin
        """)

    private static let hasLateAt = LiveSource.Unacceptable(
        "--from: an @ in a name or a value is written %40, and a ? before the host %3F")

    var hosts: [String] { authorities.map { LiveURL.split($0).host } }

    /// `[::1]:3306` has its host without brackets.
    static func split(_ authority: String) -> (host: String, port: String?) {
        if authority.hasPrefix("["), let end = authority.lastIndex(of: "]") {
            let behind = authority[authority.index(after: end)...]
            return (
                String(authority[..<end].dropFirst()), behind.hasPrefix(":") ? String(behind.dropFirst()) : nil
            )
        }
        let sides = authority.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        return (sides.first.map(String.init) ?? "", sides.count == 2 ? String(sides[1]) : nil)
    }

    /// Of this machine, by a name that nobody else's has.
    static func isLoopback(_ host: String) -> Bool {
        ["localhost", "127.0.0.1", "::1"].contains(host.lowercased())
    }

    private static func decoded(_ text: Substring) throws(LiveSource.Unacceptable) -> String {
        guard let plain = text.removingPercentEncoding, !plain.utf8.contains(0) else {
            throw .init("--from: a % stands before two hexadecimal digits, and never for nothing")
        }
        return plain
    }

    static func encoded(_ text: String) -> String {
        text.utf8.map { byte -> String in
            let isPlain =
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            let digits = String(byte, radix: 16, uppercase: true)
            return isPlain ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + digits
        }.joined()
    }
}
