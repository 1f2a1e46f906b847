import Accounts
import OAuth
import Pages

/// How people of the IdP log in with a product: its factors, its pages, and what the account page lists of it.
public struct LoginMethod: Sendable {
    /// In the order in which they are offered.
    public let factors: [SecondFactor]
    /// Pages that ask for it, set it up and take it away.
    public let pages: @Sendable (WebSide) -> [Endpoint]
    /// What the account page lists of a person's.
    public let sections: @Sendable (Account, Language) async throws -> [AccountSection]
    /// What the account page says after its forms.
    public let notices: [AccountPage.Notice]
    public let apps: OpenAPIAppLogin

    public init(
        factors: [SecondFactor], pages: @escaping @Sendable (WebSide) -> [Endpoint],
        sections: @escaping @Sendable (Account, Language) async throws -> [AccountSection], notices: [AccountPage.Notice] = [],
        apps: OpenAPIAppLogin = .init()
    ) {
        (self.factors, self.pages, self.sections, self.notices, self.apps) = (factors, pages, sections, notices, apps)
    }
}

/// What a login by an app holds beside username and password, for `/openapi.yaml`: members of the request, and of the answer that asks.
public struct OpenAPIAppLogin: Sendable {
    public let asked: OpenAPISchema.Members
    public let shown: OpenAPISchema.Members

    public init(asked: OpenAPISchema.Members = [], shown: OpenAPISchema.Members = []) { (self.asked, self.shown) = (asked, shown) }
}
