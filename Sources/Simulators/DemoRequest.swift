import Base

/// One HTTP request of the demo phone, as it is sent and as curl would send it.
public struct DemoRequest: Sendable {
    public enum Body: Sendable {
        case none
        case form([(String, String)])
        case json(JSONValue)
        /// Packets of Engine.IO.
        case text(String)
    }

    public let method: String
    public let url: String
    public var headers: [(name: String, value: String)]
    public var body: Body

    public init(method: String, url: String, headers: [(name: String, value: String)] = [], body: Body = .none) {
        (self.method, self.url, self.headers, self.body) = (method, url, headers, body)
    }

    public var contentType: String? {
        switch body {
        case .none: nil
        case .form: "application/x-www-form-urlencoded"
        case .json: "application/json"
        case .text: "text/plain;charset=UTF-8"
        }
    }

    public var bodyText: String? {
        switch body {
        case .none: nil
        case .form(let pairs): FormCodec.write(pairs)
        case .json(let value): value.text
        case .text(let text): text
        }
    }

    /// What stands behind the host: enough for one who watches.
    public var path: String { WebAddress(url)?.path ?? url }

    /// The curl line. Without `whole`, passwords are left out and everything that looks like a token is cut short.
    public func curl(whole: Bool) -> String {
        let shown = { (text: String) in whole ? text : DemoRequest.shortened(text) }
        var words = ["curl"]
        if method != "GET" { words += ["-X", method] }
        words.append(DemoRequest.quoted(url))
        for header in headers { words += ["-H", DemoRequest.quoted("\(header.name): \(shown(header.value))")] }
        switch body {
        case .none: break
        case .form(let pairs):
            for (name, value) in pairs {
                words += [
                    "--data-urlencode",
                    DemoRequest.quoted("\(name)=\(name == "password" && !whole ? "…" : shown(value))"),
                ]
            }
        case .json(let value):
            words += ["-H", "'Content-Type: application/json'", "-d", DemoRequest.quoted(value.text)]
        case .text(let text):
            words += ["-H", "'Content-Type: text/plain;charset=UTF-8'", "--data-raw", DemoRequest.quoted(text)]
        }
        return words.joined(separator: " ")
    }

    /// Every word of more than 40 base64url letters or dots keeps its first twelve.
    private static func shortened(_ text: String) -> String {
        text.replacing(#/[A-Za-z0-9_.\-]{41,}/#) { "\($0.output.prefix(12))…" }
    }

    private static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "'\\''") + "'" }
}

/// A request and what came back.
public struct DemoExchange: Sendable {
    public let request: DemoRequest
    public let status: Int
    /// `null` when the answer had no body, or none in JSON.
    public let body: JSONValue
    /// The body as it came.
    public var plain = ""
    /// `NAME=VALUE` of each cookie that was set.
    public var cookies: [String] = []

    /// The value of a cookie that was set.
    public func cookie(_ name: String) -> String? {
        cookies.last { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
    }

    public var isGood: Bool { (200..<300).contains(status) }

    /// OAuth's, or that of the SDK's envelope (protocols/operations.md, 1.1).
    public var error: String? { body["error"]?.string ?? body["responseObject"]?["code"]?.string }
    public var errorDescription: String? {
        body["error_description"]?.string ?? body["responseObject"]?["message"]?.string
    }

    /// A member that a good answer has; the step fails in words otherwise.
    public func text(_ name: String) throws -> String {
        guard isGood else { throw DemoFailure.refused(self) }
        guard let text = body[name]?.string else { throw DemoFailure.unexpected(self, "the answer has no \(name)") }
        return text
    }

    @discardableResult public func good() throws -> DemoExchange {
        guard isGood else { throw DemoFailure.refused(self) }
        return self
    }
}
