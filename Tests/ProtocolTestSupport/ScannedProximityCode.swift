import Base
import Foundation

/// What an app reads from a proximity code, scanned or tapped (protocols/operations.md, 2.3): a deeplink with both
/// members or with a JWT, or a bare JWT.
public struct ScannedProximityCode: Equatable, Sendable {
    public let operationID: String
    public let code: String?

    public init?(_ text: String) {
        let found = if let colon = text.range(of: "://") { Self.inLink(text, colon) } else { Self.inJWT(text) }
        guard let (id, code) = found else { return nil }
        operationID = id
        self.code = code
    }

    private static func inLink(_ text: String, _ colon: Range<String.Index>) -> (operationID: String, code: String?)? {
        guard colon.lowerBound > text.startIndex, let mark = text[colon.upperBound...].firstIndex(of: "?") else {
            return nil
        }
        var members: [String: String] = [:]
        for pair in text[text.index(after: mark)...].split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2, let value = parts[1].removingPercentEncoding else { return nil }
            members[parts[0]] = value
        }
        if let id = members["oid"] { return (id, members["potp"] ?? members["totp"]) }
        return members["code"].flatMap { inJWT($0) }
    }

    private static func inJWT(_ jwt: String) -> (operationID: String, code: String?)? {
        let parts = jwt.replacingOccurrences(of: "=", with: "").split(separator: ".")
        guard parts.count >= 2, let header = object(parts[0]), let claims = object(parts[1]) else { return nil }
        guard header["alg"]?.string == "none", let id = claims["oid"]?.string else { return nil }
        return (id, claims["potp"]?.string)
    }

    private static func object(_ part: Substring) -> JSONValue? {
        Base64URL.decode(part).flatMap { try? JSONReader.read($0) }
    }
}
