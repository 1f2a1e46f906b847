/// What the account page says after something was done there.
public struct AccountNotice: Sendable {
    /// As it stands in the address after a form: `/account?done=WORD`.
    public let word: String
    /// It was not done.
    public let isProblem: Bool
    public let text: @Sendable (Language) -> String

    public init(_ word: String, isProblem: Bool = false, _ text: @escaping @Sendable (Language) -> String) {
        (self.word, self.isProblem, self.text) = (word, isProblem, text)
    }
}

/// Of what every account has, in whichever way it began.
extension AccountNotice {
    public static let ended = AccountNotice("ended") { $0.strings.account.ended }
}

/// Of phones, in whichever way they log in.
extension AccountNotice {
    public static let phoneAdded = AccountNotice("phone-added") { $0.strings.phone.added }
    public static let phoneRemoved = AccountNotice("phone-removed") { $0.strings.phone.removed }
    public static let phoneKept = AccountNotice("phone-kept", isProblem: true) { $0.strings.phone.kept }

    public static let ofPhones = [phoneAdded, phoneRemoved, phoneKept]
}
