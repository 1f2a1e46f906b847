import Base
import HTTPTypes
import Hummingbird

/// The cookies of a browser: one that binds forms and requests to it, one that says who is logged in, one that
/// remembers at which institution, and one that remembers in which way.
///
/// `__Host-` where TLS is (RFC 6265bis, 4.1.3.2): no subdomain and no plain page can set them. `Lax`, since
/// applications send people here.
public struct BrowserCookies: Sendable {
    let isSecure: Bool

    public init(issuer: String) { isSecure = issuer.hasPrefix("https:") }

    private var prefix: String { isSecure ? "__Host-" : "" }
    private var browserName: String { prefix + "pando_browser" }
    private var sessionName: String { prefix + "pando_session" }
    private var institutionName: String { prefix + "pando_institution" }
    private var wayName: String { prefix + "pando_way" }

    /// 43 letters, as they are made here; anything else is no cookie of ours.
    public func browser(_ request: Request) -> String? { value(browserName, request) }
    public func session(_ request: Request) -> String? { value(sessionName, request) }

    /// The institution that was chosen last: a word, which says nothing of who somebody is.
    func institution(_ request: Request) -> String? {
        text(institutionName, request).flatMap { $0.wholeMatch(of: #/[a-z0-9][a-z0-9.\-]{0,63}/#) == nil ? nil : $0 }
    }

    /// How somebody logged in last: the name of a factor, which says nothing of who they are.
    func way(_ request: Request) -> String? {
        text(wayName, request).flatMap { $0.wholeMatch(of: #/[a-z]{1,32}/#) == nil ? nil : $0 }
    }

    private func value(_ name: String, _ request: Request) -> String? {
        guard let value = text(name, request), value.utf8.count == 43, Base64URL.decode(value)?.count == 32 else {
            return nil
        }
        return value
    }

    private func text(_ name: String, _ request: Request) -> String? {
        let values = CookiePairs.values(of: name, in: request)
        // Two of one name: somebody else set one of them.
        return values.count == 1 ? values.first : nil
    }

    /// For a year: known browsers are not slowed down by strangers' guesses.
    func setBrowser(_ value: String) -> String { line(browserName, value, "; Max-Age=31536000") }
    /// For a year.
    func setInstitution(_ value: String) -> String { line(institutionName, value, "; Max-Age=31536000") }
    func setWay(_ value: String, seconds: Int) -> String { line(wayName, value, "; Max-Age=\(seconds)") }
    /// Until the browser closes or the session ends at the server.
    func setSession(_ value: String) -> String { line(sessionName, value, "") }
    var clearSession: String { line(sessionName, "", "; Max-Age=0") }

    private func line(_ name: String, _ value: String, _ more: String) -> String {
        "\(name)=\(value); Path=/; HttpOnly; SameSite=Lax\(isSecure ? "; Secure" : "")\(more)"
    }
}
