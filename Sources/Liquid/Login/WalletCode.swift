import Base
import Database
import Foundation
import Passkeys

/// What came of a code that a wallet was to scan.
struct WalletCode: Sendable, WaitedFor {
    enum State: Sendable {
        case waiting
        case answered(WalletAnswer)
        /// Nobody scanned it in time, or it was used.
        case over
    }

    let state: State
    let expiresAt: Date?

    static let over = WalletCode(state: .over, expiresAt: nil)

    var etag: String {
        switch state {
        case .waiting: "waiting"
        case .answered(let answer): answer.mark
        case .over: "over"
        }
    }

    var changesAt: Date? { expiresAt }

    var isFinal: Bool { if case .waiting = state { false } else { true } }
}

/// The passkey that answered, as it is known now.
struct WalletAnswer: Sendable {
    let passkey: Passkey
    let wallet: String
    /// What somebody says yes to, in the form of the page that shows it: another passkey of the same wallet, or its
    /// link with another account, would be another answer.
    let mark: String

    /// Who has linked the passkey.
    var account: UUID? { passkey.account }

    /// `nil` for a passkey that is this wallet's no more.
    init?(_ passkey: Passkey?, of wallet: String) {
        guard let passkey, passkey.flow == .liquid, passkey.wallet == wallet else { return nil }
        (self.passkey, self.wallet) = (passkey, wallet)
        let linked = passkey.account?.uuidString ?? ""
        mark = Base64URL.encode(Digest.sha256("wallet answer \(wallet) \(passkey.text) \(linked)").prefix(12))
    }
}
