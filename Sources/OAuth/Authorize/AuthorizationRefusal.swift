import Base
import Vocabulary

/// Where an answer to an authorization request goes: both the client and the address were verified (RFC 6749, 3.1.2.4).
public struct RedirectTarget: Sendable, Equatable {
    public let redirectURI: String
    public let state: String?
    let issuer: String

    init(redirectURI: String, state: String?, issuer: String) {
        (self.redirectURI, self.state, self.issuer) = (redirectURI, state, issuer)
    }

    /// The address with these parameters, `state` byte for byte, and `iss` (RFC 9207). What query it had stays (RFC
    /// 6749, 3.1.2).
    public func url(_ parameters: [(String, String)]) -> String {
        let all = parameters + (state.map { [("state", $0)] } ?? []) + [("iss", issuer)]
        let separator =
            redirectURI.contains("?") ? (redirectURI.hasSuffix("?") || redirectURI.hasSuffix("&") ? "" : "&") : "?"
        return redirectURI + separator + FormCodec.write(all)
    }
}

/// Why an authorization request is refused. Whether the browser may be sent back is part of the type: never, before
/// client and address are verified.
public enum AuthorizationRefusal: Error, Sendable {
    case page(OAuthError)
    case redirect(OAuthError, RedirectTarget)

    public var error: OAuthError {
        switch self {
        case .page(let error), .redirect(let error, _): error
        }
    }

    /// RFC 6749, 4.1.2.1.
    public var url: String? {
        guard case .redirect(let error, let target) = self else { return nil }
        return target.url([
            ("error", error.code.rawValue), ("error_description", AuthorizationRefusal.plain(error.description)),
        ])
    }

    /// Characters that RFC 6749, 4.1.2.1 allows in `error_description`.
    private static func plain(_ text: String) -> String {
        String(
            text.unicodeScalars.map {
                (0x20...0x7E).contains($0.value) && $0 != "\"" && $0 != "\\" ? Character($0) : "'"
            })
    }
}
