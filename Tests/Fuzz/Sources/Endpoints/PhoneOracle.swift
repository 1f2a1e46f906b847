import Base
import HTTPTypes
import Harness

/// What phones are told (protocols/tiqr.md, 1.2 and 1.7): an app reads the body and not the status, so that nothing may
/// look like a verdict which is none.
enum PhoneOracle {
    private static let base = String(ServerParts.tiqrBase.dropFirst(ServerParts.root.count))
    private static var words: Regex<Substring> {
        #/OK|ERROR|INVALID_(?:REQUEST|CHALLENGE|USERID|RESPONSE:[1-9][0-9]*)|ACCOUNT_BLOCKED:[0-9]+/#
    }
    private static let codes = [1, 101, 201, 202, 203, 204, 205]

    static func check(_ head: HTTPRequest, status: Int, type: String?, _ headers: HTTPFields, text: String) {
        let path = head.path?.split(separator: "?", omittingEmptySubsequences: false).first.map(String.init) ?? ""
        switch (head.method, path) {
        case (.post, base + "/authentication"), (.post, base + "/enrollment"):
            verdict(status, type, headers, text, path)
        case (.get, base + "/metadata"): metadata(status, text)
        case (.get, "/tiqrenroll/"), (.get, "/tiqrauth/"):
            require(
                headers[HTTPField.Name("Referrer-Policy") ?? .server] == "no-referrer",
                "a landing page tells nobody of the link: \(path)")
        default: return
        }
    }

    private static func verdict(_ status: Int, _ type: String?, _ headers: HTTPFields, _ text: String, _ path: String) {
        let json = type == "application/json" ? (try? JSONReader.read(Array(text.utf8))) : Optional<JSONValue>.none
        guard status == 200 else {
            let isSilent = json?["responseCode"] == nil && text.wholeMatch(of: words) == nil
            return require(
                (400..<600).contains(status) && isSilent, "what is no verdict does not look like one: \(text)")
        }
        guard type == "application/json" else {
            return require(
                type == "text/plain" && text.wholeMatch(of: words) != nil,
                "a phone of protocol 1 is told a word of its own: \(text.debugDescription)")
        }
        require(
            headers[HTTPField.Name("X-TIQR-Protocol-Version") ?? .server] == "2",
            "iOS knows JSON by the version of the answer")
        guard let code = json?["responseCode"]?.integer else {
            violated("a phone of protocol 2 is told a code: \(text)")
        }
        require(codes.contains(code), "a code is one of the protocol: \(code)")
        require(
            path.hasSuffix("/enrollment") == (code == 101) || code == 1,
            "a code belongs to what was asked: \(code) at \(path)")
        require(
            json?["attemptsLeft"]?.integer != 0, "nobody is told of no attempts left: iOS would block every identity")
    }

    /// iOS takes any JSON with a service in it for an enrollment. There is no enrollment without a database.
    private static func metadata(_ status: Int, _ text: String) {
        require(
            status >= 400 && (try? JSONReader.read(Array(text.utf8)))?["service"] == nil,
            "no service is told to whoever has no key")
    }
}
