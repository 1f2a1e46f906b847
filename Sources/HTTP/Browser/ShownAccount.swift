import Accounts
import Base
import OAuth
import Pages
import Registration

extension ClientShown {
    /// Its registered name in the person's language, and the host that answers go to; none where they go to no host
    /// (`getsAnswers`), for then its redirect URIs, which anybody may register, would vouch for somebody who has no
    /// part in it.
    public init(_ client: WebClient, in language: Language, getsAnswers: Bool = true) {
        let shown = client.metadata.shown
        let registered =
            client.redirectURIs.first.flatMap { WebAddress($0)?.host }
            ?? shown["client_uri"]?.string.flatMap { WebAddress($0)?.host }
        let host = getsAnswers ? registered : nil
        self.init(
            name: client.metadata.name(in: [language.rawValue]) ?? client.name, host: host,
            homePage: shown["client_uri"]?.string,
            policy: shown["policy_uri"]?.string, terms: shown["tos_uri"]?.string)
    }
}

extension PersonShown {
    public init(_ account: Account) { self.init(name: account.name, username: account.username, email: account.email) }
}
