import Foundation

/// A JWT (RFC 7519) in compact form, taken apart and not verified.
public struct JWT: Sendable, Redacted {
    public struct Malformed: Error, CustomStringConvertible { public let description: String }

    /// Seconds by which clocks may differ.
    public static let skew: TimeInterval = 60

    public let text: String
    public let header: [String: JSON]
    public let claims: [String: JSON]
    private let input: [UInt8]
    private let signature: [UInt8]

    /// - Throws: `Malformed`, also for `crit`, none of whose extensions is understood (RFC 7515, 4.1.11).
    public init(_ text: String) throws {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, text.utf8.count <= 65_536, let head = Base64URL.decode(parts[0]),
            let body = Base64URL.decode(parts[1]), let signature = Base64URL.decode(parts[2]),
            let header = (try? JSON(bytes: head))?.object, let claims = (try? JSON(bytes: body))?.object
        else { throw Malformed(description: "it is not a compact JWT") }
        guard header["crit"] == nil else { throw Malformed(description: "it needs an extension") }
        (self.text, self.header, self.claims, self.signature) = (text, header, claims, signature)
        input = Array((parts[0] + "." + parts[1]).utf8)
    }

    public var id: String? { claims["jti"]?.string }
    public var keyID: String? { header["kid"]?.string }

    /// `typ` in lower case, without `application/` (RFC 7515, 4.1.9).
    public var type: String? {
        header["typ"]?.string.map { $0.lowercased() }.map {
            $0.hasPrefix("application/") ? String($0.dropFirst("application/".count)) : $0
        }
    }

    /// Of one string or an array of strings; empty otherwise.
    public var audiences: [String] { claims["aud"]?.string.map { [$0] } ?? claims["aud"]?.strings ?? [] }

    public var description: String { "JWT \(id ?? "without jti")" }

    /// A NumericDate; `nil` when absent or anything else.
    public func date(_ claim: String) -> Date? {
        switch claims[claim] {
        case .integer(let seconds): Date(timeIntervalSince1970: Double(seconds))
        case .number(let seconds): Date(timeIntervalSince1970: seconds)
        default: nil
        }
    }

    /// Whether `nbf`, where it stands, has come (RFC 7519, 4.1.5).
    public func hasBegun(at now: Date) -> Bool {
        claims["nbf"] == nil || date("nbf").map { $0 <= now.addingTimeInterval(JWT.skew) } ?? false
    }

    /// `alg` is never taken from the token alone: it must be that of the key. So `none` is signed by nobody.
    public func isSigned(by key: VerificationKey) -> Bool {
        key.signed(input, signature, algorithm: header["alg"]?.string ?? "none")
    }
}
