extension AccountPage {
    /// What the account page says after something was done there.
    public struct Notice: Sendable {
        /// As it stands in the address after a form: `/account?done=WORD`.
        public let word: String
        /// It was not done.
        public let isProblem: Bool
        public let text: @Sendable (Language) -> String

        public init(_ word: String, isProblem: Bool = false, _ text: @escaping @Sendable (Language) -> String) {
            (self.word, self.isProblem, self.text) = (word, isProblem, text)
        }
    }
}

extension AccountPage.Notice {
    public static let disconnected = AccountPage.Notice("disconnected") { $0.strings.account.disconnected }
    public static let withdrawn = AccountPage.Notice("withdrawn") { $0.strings.account.withdrawn }
    public static let ended = AccountPage.Notice("ended") { $0.strings.account.ended }
    public static let passwordChanged = AccountPage.Notice("password") { $0.strings.account.passwordChanged }

    public static let ofAccount = [disconnected, withdrawn, ended, passwordChanged]

    // MARK: Phones, in whichever way they log in

    public static let phoneAdded = AccountPage.Notice("phone-added") { $0.strings.phone.added }
    public static let phoneRemoved = AccountPage.Notice("phone-removed") { $0.strings.phone.removed }
    public static let phoneKept = AccountPage.Notice("phone-kept", isProblem: true) { $0.strings.phone.kept }

    public static let ofPhones = [phoneAdded, phoneRemoved, phoneKept]
}
