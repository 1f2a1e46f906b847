import Base
import Foundation
import OAuth
import Pages
import Vocabulary

/// What a login is for: an authorization request, or a page of our own.
public struct LoginPlace: Sendable {
    public let reference: String?
    public let returnTo: String?
    /// Who is logged in shall log in once more.
    public let isAgain: Bool

    /// As a page or a form names it, spelt as members of a schema.
    public static let members = ["request", "return_to", "again"]

    private static let continuing = "/authorize?continue="

    public init(_ parameters: Vocabulary.OAuthParameters) throws {
        reference = try parameters["request"]
        isAgain = try parameters["again"] != nil
        let path = try parameters["return_to"]
        if let path, !LoginPlace.isOurs(path) {
            throw OAuthError(.invalidRequest, "return_to is no page of this server")
        }
        returnTo = path
    }

    /// Pages of our own that want a login; nothing else, so nobody is led away. Those that only show something: no
    /// login ends in a change.
    private static func isOurs(_ path: String) -> Bool {
        let account = #/\/account(?:\/password|\/[a-z]{1,32}\/(?:add|link|name\?[a-z]{1,32}=[A-Za-z0-9_\-]{1,1364}))?/#
        let link = #/\/account\/[a-z]{1,32}\/link\?attempt=[A-Za-z0-9_\-]{43}/#
        let data = #/\/account\/(?:data|delete)/#
        let device = #/\/device(?:\?user_code=[A-Za-z\-]{0,12})?/#
        let console = #/\/admin(?:\/(?!api(?:\/|$))[a-z\-]{1,32}){0,4}(?:\?[A-Za-z0-9\-._~%=&]{0,1024})?/#
        // A letter that is canonically an ASCII one (U+212A) matches it.
        return path.utf8.allSatisfy { $0 < 0x80 }
            && (["/account/email", "/account/recovery"].contains(path) || path.wholeMatch(of: account) != nil
                || path.wholeMatch(of: data) != nil || path.wholeMatch(of: link) != nil
                || path.wholeMatch(of: device) != nil || path.wholeMatch(of: console) != nil)
    }

    /// A page of our own.
    public init(returnTo: String) { (reference, self.returnTo, isAgain) = (nil, returnTo, false) }

    /// A page of our own about the thing that a parameter names; the account page where nothing can have such a name.
    public init(naming path: String) { self.init(returnTo: LoginPlace.isOurs(path) ? path : "/account") }

    /// From where an attempt goes on (`then`).
    public init(then: String) {
        let rest =
            then.hasPrefix(LoginPlace.continuing)
            ? String(then.dropFirst(LoginPlace.continuing.count)).removingPercentEncoding : nil
        (reference, returnTo, isAgain) = (rest, rest == nil ? then : nil, false)
    }

    public var purpose: String { "login \(reference ?? returnTo ?? "")" }
    /// Where to go on.
    public var then: String { reference.map { LoginPlace.continuing + FormCodec.encode($0) } ?? returnTo ?? "/account" }
    /// As parameters of another page that leads there.
    public var query: String {
        reference.map { "request=" + FormCodec.encode($0) } ?? "return_to=" + FormCodec.encode(returnTo ?? "/account")
    }

    /// Leads on without the level that `request` wishes for; none where that is a condition, or nobody is logged in.
    public func doorOn(
        _ request: AuthorizationParameters?, in language: Language, _ browser: BrowserRequest
    ) -> [LoginAlternative] {
        guard reference != nil, let request, browser.web.authorize.isVoluntary(request, browser.context) else {
            return []
        }
        return [.withoutLevel(LoginPlace.withoutLevel + "?" + query, in: language)]
    }

    /// The page that asks whether to go on so.
    public static let withoutLevel = "/login/without"

    /// The request that waits for this login.
    public func checked(_ browser: BrowserRequest) async throws -> AuthorizationParameters? {
        guard let reference else { return nil }
        return try await browser.web.authorize.pending(reference, browser.context).checked
    }
}
