import Base
import Foundation

/// A JWT (RFC 7519): a compact JWS whose payload is a JSON object of claims. Parsed, not verified: ask `isSigned(by:)`.
public struct JWT: Sendable {
    public typealias Malformed = CompactJWS.Malformed

    public let jws: CompactJWS
    public let claims: JSONObject

    public init(_ compact: some StringProtocol) throws(Malformed) {
        jws = try CompactJWS(compact)
        claims = try CompactJWS.object(jws.payload, .payload)
    }

    public var compact: String { jws.compact }
    public var header: JSONObject { jws.header }
    public var algorithm: String { jws.algorithm }
    public var kid: String? { jws.kid }

    /// `typ` in lower case without `application/` (RFC 7515, 4.1.9), so that two spellings of one type compare equal.
    public var type: String? {
        guard let type = header["typ"]?.string?.lowercased() else { return nil }
        let prefix = "application/"
        return type.hasPrefix(prefix) ? String(type.dropFirst(prefix.count)) : type
    }

    /// True when `key` made the signature and the header's `alg` is one that the key admits.
    public func isSigned(by key: JSONWebKey) -> Bool { jws.isSigned(by: key) }

    public subscript(claim: String) -> JSONValue? { claims[claim] }

    /// `nil` when absent or not a string.
    public func string(_ claim: String) -> String? { claims[claim]?.string }

    /// A NumericDate (RFC 7519, 2): seconds since the epoch, an integer or a fraction. `nil` when absent or anything
    /// else, so ask for the claim too where absence is allowed. Digits in a string are no number.
    /// Dates before 1970 or after 9999 come back as those bounds: safe to compare and to convert.
    public func date(_ claim: String) -> Date? {
        let seconds: Double
        switch claims[claim] {
        case .integer(let number): seconds = Double(number)
        case .number(let number) where number.isFinite: seconds = number
        default: return nil
        }
        return Date(timeIntervalSince1970: min(max(seconds, 0), 253_402_300_799))
    }

    /// Seconds by which clocks may differ.
    public static let skew: TimeInterval = 60

    /// Whether it may be accepted yet (`nbf`, RFC 7519, 4.1.5): there is none, or it is a NumericDate of now or before,
    /// give or take `skew`. False for whatever else stands there, null too: who sets a beginning means one. Asked of
    /// every JWT that is accepted, whoever made it.
    public func hasBegun(at now: Date) -> Bool {
        guard claims["nbf"] != nil else { return true }
        return date("nbf").map { $0 <= now.addingTimeInterval(JWT.skew) } ?? false
    }

    /// `aud` (4.1.3), one string or an array of strings; `[]` otherwise.
    public var audiences: [String] {
        if let one = string("aud") { return [one] }
        return claims["aud"]?.strings ?? []
    }
}
