/// How a person is shown to themselves.
public struct PersonShown: Sendable {
    let name: String, initial: String
    /// Username and address, as far as they say more than the name.
    let details: [String]

    public init(name: String?, username: String, email: String? = nil) {
        let username = ShownText.tidy(username) ?? "?", name = name.flatMap { ShownText.tidy($0) } ?? username
        self.name = name
        initial = name.prefix(1).uppercased()
        details = [username, email.flatMap { ShownText.tidy($0, limit: 254) }].compactMap(\.self).filter { $0 != name }
    }

    static let template = """
        <div class="person"><span class="avatar" aria-hidden="true">{{initial}}</span>
        <p><span class="unseen">{{strings.frame.loggedInAs}} </span><bdi class="strong">{{name}}</bdi>\
        <br><span class="quiet">{{#details}}<bdi>{{.}}</bdi>{{/details}}</span></p></div>
        """
}
