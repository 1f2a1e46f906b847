import Accounts
import OAuth
import Pages

/// How people of the IdP log in with a product: its factors, its pages, and what the account page lists of it.
public struct LoginMethod: Sendable {
    /// A form for the page with the password, which leads on as that page does, with its token.
    public typealias PasswordPagePart = @Sendable (LoginPlace, _ formToken: String, Language) -> PagePart

    /// In the order in which they are offered.
    public let factors: [SecondFactor]
    /// What the page with the password asks for itself.
    public let onPasswordPage: PasswordPagePart?
    /// Pages that ask for it, set it up and take it away.
    public let pages: @Sendable (WebSide) -> [Endpoint]
    /// What the account page lists of a person's.
    public let sections: @Sendable (Account, Language) async throws -> [AccountSection]
    /// What the account page says after its forms.
    public let notices: [AccountNotice]
    public let apps: OpenAPIAppLogin
    /// What people are offered who log in with something else; `nil` for who has it.
    public let offer: Offer?

    public typealias Offer = @Sendable (Account, Language) async throws -> AccountOffer?

    /// Where people log in who are known elsewhere; `nil` where this method knows nobody so.
    public let elsewhere: LoginElsewhere?

    public init(
        factors: [SecondFactor], onPasswordPage: PasswordPagePart? = nil,
        pages: @escaping @Sendable (WebSide) -> [Endpoint],
        sections: @escaping @Sendable (Account, Language) async throws -> [AccountSection],
        notices: [AccountNotice] = [],
        apps: OpenAPIAppLogin = .init(), elsewhere: LoginElsewhere? = nil, offer: Offer? = nil
    ) {
        (self.factors, self.onPasswordPage, self.pages) = (factors, onPasswordPage, pages)
        (self.sections, self.notices, self.apps, self.elsewhere) = (sections, notices, apps, elsewhere)
        self.offer = offer
    }
}

/// What a login by an app holds beside username and password, for `/openapi.yaml`: members of the request, and of the
/// answer that asks.
public struct OpenAPIAppLogin: Sendable {
    public let asked: OpenAPISchema.Members
    public let shown: OpenAPISchema.Members

    public init(asked: OpenAPISchema.Members = [], shown: OpenAPISchema.Members = []) {
        (self.asked, self.shown) = (asked, shown)
    }
}
