/// What the phone posts to log in (protocols/tiqr.md, 1.3). `nil` for a missing field, another operation, or an answer
/// longer than any: 202, not counted.
struct LoginForm: Sendable {
    let session: String
    let identity: String
    let response: String
    let address: PushAddress?
    let language: PhoneLanguage?

    init?(_ form: [String: String]) {
        guard form["operation"] == "login", let session = form["sessionKey"], let identity = form["userId"],
            let response = form["response"],
            !session.isEmpty, !identity.isEmpty, !response.isEmpty, response.count <= 64
        else { return nil }
        (self.session, self.identity, self.response) = (session, identity, response)
        (address, language) = (PushAddress(form), PhoneLanguage(form))
    }
}
