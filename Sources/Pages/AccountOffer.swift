/// Something better that somebody is offered on their account page, until they take it or decline.
public struct AccountOffer: Sendable {
    /// As it is declined, and the name of the factor that it leads to.
    public let word: String
    let title: String, text: String, link: PageLink

    public init(_ word: String, title: String, text: String, link: PageLink) {
        (self.word, self.title, self.text, self.link) = (word, title, text, link)
    }
}
