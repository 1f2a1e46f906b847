/// How requests are sent: by AsyncHTTPClient (`asyncHTTPClient`), URLSession, or whatever a test puts in place.
public struct Transport: Sendable {
    public typealias Header = (name: String, value: String)

    public struct Request: Sendable, Redacted {
        public let method: String
        public let url: String
        public var headers: [Header]
        public let body: [UInt8]

        public init(method: String, url: String, headers: [Header] = [], body: [UInt8] = []) {
            (self.method, self.url, self.headers, self.body) = (method, url, headers, body)
        }

        public var description: String { "\(method) \(url.prefix { $0 != "?" })" }
    }

    public struct Response: Sendable, Redacted {
        public let status: Int
        public let headers: [Header]
        public let body: [UInt8]

        public init(status: Int, headers: [Header] = [], body: [UInt8] = []) {
            (self.status, self.headers, self.body) = (status, headers, body)
        }

        public var isGood: Bool { (200..<300).contains(status) }
        public var description: String { "status \(status)" }

        /// The first of that name, in any case of its letters.
        public func header(_ name: String) -> String? {
            headers.first { $0.name.lowercased() == name.lowercased() }?.value
        }
    }

    /// Returns whatever status came. Throws where no answer did. Follows no redirects: no answer here may go elsewhere.
    public let send: @Sendable (Request) async throws -> Response

    public init(send: @escaping @Sendable (Request) async throws -> Response) { self.send = send }
}

extension Transport.Request {
    /// `POST` of a form (RFC 6749, appendix B).
    public static func form(_ url: String, _ members: [(String, String)]) -> Transport.Request {
        let text = members.map { "\(FormEncoding.encode($0.0))=\(FormEncoding.encode($0.1))" }.joined(separator: "&")
        let type: Transport.Header = ("Content-Type", "application/x-www-form-urlencoded")
        return Transport.Request(method: "POST", url: url, headers: [type], body: Array(text.utf8))
    }

    /// `POST` of JSON.
    public static func json(_ url: String, _ value: JSON) throws -> Transport.Request {
        let type: Transport.Header = ("Content-Type", "application/json")
        return Transport.Request(method: "POST", url: url, headers: [type], body: try value.bytes())
    }

    public static func get(_ url: String) -> Transport.Request { Transport.Request(method: "GET", url: url) }
}

enum FormEncoding {
    private static let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)

    /// Percent-encodes all but what RFC 3986 leaves unreserved.
    static func encode(_ text: String) -> String {
        text.utf8.map { byte in
            plain.contains(byte)
                ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }
}
