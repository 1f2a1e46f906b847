import Accounts
import Base
import TokenTree

/// Who sits at the browser: what its cookies say, looked up.
public struct BrowserSessionContext: Sendable {
    /// Of the cookie that every browser is given: binds forms and pending requests to it.
    public let browser: String
    /// Who logged in, if somebody did and it still counts.
    public let session: BrowserSession?
    /// User-Agent, cut to a bearable length.
    public let device: String?
    /// Address of the peer.
    public let origin: String?
    /// ISO 639-1, of those that pages have; `nil`: the browser did not say.
    public let language: String?

    public init(browser: String, session: BrowserSession?, device: String?, origin: String?, language: String? = nil) {
        self.language = language
        (self.browser, self.session, self.device, self.origin) = (
            browser, session, device.map { String($0.prefix(300)) }, origin
        )
    }

    /// As attempts and events know the browser: no name that its cookie could be told from.
    public var client: String { "browser:\(Base64URL.encode(Digest.sha256("browser \(browser)").prefix(16)))" }

    func actor(_ name: String? = nil) -> AuditActor {
        AuditActor(
            name: name ?? session.map { "account:\($0.account.id.uuidString.lowercased())" } ?? client, origin: origin)
    }

    /// What a form of this browser must carry: an HMAC under the browser's cookie over what the form is for and who is
    /// logged in. A page elsewhere cannot know it, and a form shown to one person is worth nothing to the next.
    public func formToken(_ purpose: String) -> String {
        Base64URL.encode(
            Digest.hmac(key: SecretBytes(Array(browser.utf8)), "form \(purpose) \(session?.id ?? "")".utf8))
    }
}
