import Base
import Database
import Foundation
import Passkeys

/// Logging in to the IdP with a code that a wallet scans: `liquid://HOST/?requestId=…`, as pages show it that want a
/// wallet, so every wallet knows what to do. The wallet logs in at this host by its passkey; that the passkey is linked
/// with an account makes it somebody's.
///
/// It shows possession and no more, since a wallet signs for whoever shows it a code (docs/design/decisions.md, liquid
/// 14).
final class WalletCodeLogin: Sendable {
    /// As the IdP calls the factor by which an app asks so, and attempts in a browser. What a browser's login has shown
    /// is the factor `wallet`: it is the same key.
    static let factor = "wallet-code"

    private let liquid: LiquidService
    private let root: String
    private var parts: LiquidServices { liquid.parts }
    private var links: LinkStore { LinkStore(clock: parts.clock) }

    /// `root` is the URL of this host's root.
    init(_ liquid: LiquidService, root: String) { (self.liquid, self.root) = (liquid, root) }

    // MARK: Asking

    /// The id of the code. Whoever sees it can have a wallet answer, and nothing else.
    func begin() async throws -> String {
        let id = Randomness.system.uuid().uuidString.lowercased()
        try await links.open(login: try request(id), in: parts.database)
        return id
    }

    /// What the code says.
    func link(_ id: String) -> String { WalletCodeLogin.link(id, at: root) }

    static func link(_ id: String, at root: String) -> String {
        "liquid://\(root.split(separator: "/").last.map(String.init) ?? "")/?requestId=\(id)"
    }

    /// A wallet that answers now is late.
    func drop(_ id: String) async throws { try await links.drop(login: try request(id), in: parts.database) }

    // MARK: Reading

    func isEnrolled(_ account: UUID, in executor: (any SQLExecutor)? = nil) async throws -> Bool {
        try await parts.passkeys.list(account: account, in: executor ?? parts.database).contains { $0.flow == .liquid }
    }

    func state(_ id: String) async throws -> WalletCode {
        let now = parts.clock.now()
        guard let found = try await links.find(login: try request(id), in: parts.database) else { return .over }
        guard let answer = found.answer else {
            return found.expiresAt > now ? WalletCode(state: .waiting, expiresAt: found.expiresAt) : .over
        }
        let end = found.expiresAt + LinkStore.confirmation
        let passkey = try await parts.passkeys.find(answer.credential, in: parts.database)
        guard end > now, let shown = WalletAnswer(passkey, of: answer.wallet) else { return .over }
        return WalletCode(state: .answered(shown), expiresAt: end)
    }

    /// Held until it is another than `etag`, at most `seconds`.
    func wait(_ id: String, unlike etag: String, within seconds: Int) async throws -> WalletCode {
        try await liquid.signalling.logins.wait(
            for: try request(id).key, unlike: etag, within: seconds, clock: parts.clock
        ) { try await state(id) }
    }

    // MARK: Ending

    /// Uses an answer up, in the transaction of the login: true where the passkey is linked with this account now, and
    /// the session still lives in which it answered. Whoever unlinks or removes it, or ends that session, waits.
    func take(
        _ id: String, _ answer: WalletAnswer, of account: UUID, in transaction: any SQLExecutor
    ) async throws -> Bool {
        // In the order in which a wallet that answers holds them.
        let held = try await parts.passkeys.hold(answer.passkey.id, in: transaction)
        let name = try await links.take(
            login: try request(id), wallet: answer.wallet, credential: answer.passkey.id, in: transaction)
        guard let name, let held, held.account == account, held.wallet == answer.wallet,
            held.key == answer.passkey.key, let session = try await parts.sessions.find(name, in: transaction)
        else { return false }
        return try await parts.sessions.hold(session, in: transaction)
    }

    private struct Foreign: Error {}

    /// An id is one that `begin` made: attempts keep it, and `auth_session` has it signed.
    private func request(_ id: String) throws -> RequestID {
        guard let request = RequestID(.string(id)) else { throw Foreign() }
        return request
    }
}
