import Base
import Foundation
import PandoClient

/// A token as its holder can read it: kind, `jti`, the key it is bound to (RFC 7800), and its end.
public struct DemoToken: Sendable {
    public enum Kind: String, Sendable {
        case instance = "instance token"
        case person = "PAT"
        case assertion = "service assertion"
        case service = "service token"
        case app = "app token"

        /// As a word of the tree.
        var short: String {
            switch self {
            case .instance: "instance"
            case .person: "PAT"
            case .assertion: "assertion"
            case .service: "service"
            case .app: "app"
            }
        }
    }

    public let kind: Kind
    public let text: String
    public let refreshToken: String?
    public let id: String
    /// Whose key, in words.
    public let holder: String
    public let thumbprint: String?
    public let expires: Date

    /// `nil` unless `text` is a JWT with `jti` and `exp`. What it says is read, not verified: that is for those who are
    /// shown it.
    public init?(_ kind: Kind, _ text: String, refreshToken: String? = nil, holder: String) {
        guard let jwt = try? JWT(text), let id = jwt.id, let expires = jwt.date("exp") else { return nil }
        (self.kind, self.text, self.refreshToken, self.id, self.holder) = (kind, text, refreshToken, id, holder)
        (self.expires, thumbprint) = (expires, jwt.claims["cnf"]?["jkt"]?.string)
    }

    /// The answer of a token endpoint.
    public init(_ kind: Kind, _ exchange: DemoExchange, holder: String) throws {
        guard
            let token = DemoToken(
                kind, try exchange.text("access_token"), refreshToken: exchange.body["refresh_token"]?.string,
                holder: holder)
        else {
            throw DemoFailure.unexpected(exchange, "access_token is not a JWT")
        }
        self = token
    }

    /// The last letters: the first ones of a `jti` tell when it ends, and are alike for tokens made together.
    public var shortID: String { String(id.suffix(8)) }

    public var name: String { "\(kind.rawValue) \(shortID)" }

    public var binding: String { thumbprint.map { "bound to \(holder) key \($0.prefix(8))" } ?? "bound to no key" }

    public var life: String {
        let seconds = Int(expires.timeIntervalSinceNow.rounded())
        let span =
            switch seconds {
            case ..<120: "\(seconds) s"
            case ..<7_200: "\(Int((Double(seconds) / 60).rounded())) min"
            case ..<172_800: "\(Int((Double(seconds) / 3_600).rounded())) h"
            default: "\(Int((Double(seconds) / 86_400).rounded())) days"
            }
        return "until \(expires.rfc3339) (\(span))"
    }

    public var json: JSONValue {
        [
            "kind": .string(kind.rawValue), "jti": .string(id), "jkt": JSONValue(thumbprint),
            "bound_to": .string(thumbprint == nil ? "nothing" : holder + " key"),
            "expires_at": .string(expires.rfc3339),
        ]
    }
}
