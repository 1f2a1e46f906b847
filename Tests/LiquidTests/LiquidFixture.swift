import Accounts
import Base
import Crypto
import Database
import Foundation
import Logging
import ProtocolTestSupport
import TestSupport
import Testing
import TokenTree

@testable import Liquid
@testable import Passkeys
@testable import WebAuthn

/// The room Liquid on a database with a clock that stands still, and wallets and people who use it.
struct LiquidFixture: Sendable {
    let tree: TestTree
    let service: LiquidService
    let people: PasskeyLogin
    let linked: LinkedWallets
    let log: CapturedLog
    var database: Database { tree.database }
    var time: SettableClock { tree.time }

    static let settings = settings(isBoundOnly: false)

    private static func settings(isBoundOnly: Bool) -> LiquidSettings {
        LiquidSettings(
            rpID: SoftAuthenticator.rpID, name: "Pando", origins: ["android:apk-key-hash:abc"],
            peopleOrigins: [SoftAuthenticator.origin], isBoundOnly: isBoundOnly)
    }

    static let actor = AuditActor(name: "account:somebody", origin: "192.0.2.9")

    static func with(
        algod: Algod? = nil, randomness: Randomness = .system, isBoundOnly: Bool = false,
        _ body: (LiquidFixture) async throws -> Void
    ) async throws {
        try await TestTree.with { tree in
            let log = CapturedLog(), master = try MasterKey(SecretBytes([UInt8](repeating: 1, count: 32)))
            let service = LiquidService(
                store: tree.store, revocation: tree.revocation, master: master,
                settings: settings(isBoundOnly: isBoundOnly), algod: algod,
                clock: tree.time.clock,
                randomness: randomness, logger: log.logger)
            let people = PasskeyLogin(
                database: tree.database, party: settings.people, clock: tree.time.clock, randomness: randomness,
                logger: log.logger)
            let linked = LinkedWallets(
                database: tree.database, revocation: tree.revocation, clock: tree.time.clock,
                signals: service.signalling.signals)
            try await body(LiquidFixture(tree: tree, service: service, people: people, linked: linked, log: log))
        }
    }

    // MARK: Wallets

    /// Without a cookie: somebody who was never here.
    func presented(_ cookie: String? = nil) async throws -> PresentedSession {
        try await service.presented(cookie: cookie, device: "test", origin: "192.0.2.1")
    }

    func creation(_ presented: PresentedSession) async throws -> [UInt8] {
        try await service.attestationOptions(["extensions": ["liquid": true]], for: presented).raw("challenge")
    }

    func request(_ wallet: SoftWallet?, _ presented: PresentedSession) async throws -> [UInt8] {
        try await service.assertionOptions(wallet.map { Base64URL.encode($0.authenticator.id) }, for: presented).raw(
            "challenge")
    }

    /// By a browser who was never here unless another is given.
    @discardableResult
    func register(_ wallet: SoftWallet, as presented: PresentedSession? = nil) async throws -> EnteredUser {
        let somebody = if let presented { presented } else { try await self.presented() }
        let challenge = try await creation(somebody)
        return try await service.attest(try wallet.attestation(challenge), by: somebody)
    }

    @discardableResult
    func logIn(_ wallet: SoftWallet, as presented: PresentedSession? = nil) async throws -> EnteredUser {
        let somebody = if let presented { presented } else { try await self.presented() }
        let challenge = try await request(wallet, somebody)
        return try await service.assert(try wallet.assertion(challenge), by: somebody)
    }

    /// A session that waits, put under a wallet by its passkey; its cookie.
    func linked(_ wallet: SoftWallet) async throws -> String {
        let waiting = try await presented(), cookie = try #require(waiting.newCookie)
        let isLinked = try await database.transaction { transaction -> Bool in
            let id = try #require(try await service.sessions.keep(waiting, in: transaction))
            return try await service.sessions.link(
                id, wallet: wallet.address, credential: wallet.authenticator.id, in: transaction)
        }
        try #require(isLinked)
        return cookie
    }

    /// The check that refused, `nil` when none did.
    static func refusal(_ body: () async throws -> Void) async throws -> LiquidRefusal? {
        do { try await body() } catch let refusal as LiquidRefusal { return refusal }
        return nil
    }

    static func failed(_ refusal: WebAuthnRefusal) -> LiquidRefusal { .verificationFailed(step: refusal.explain) }
    static func failed(_ refusal: WalletRefusal) -> LiquidRefusal { .verificationFailed(step: refusal.rawValue) }

    /// Passkeys, wallets, sessions.
    func counts() async throws -> [Int] {
        let passkeys: Int = try await database.value("select count(*) from passkey"),
            wallets: Int = try await database.value("select count(*) from liquid_wallet")
        let sessions: Int = try await database.value("select count(*) from liquid_session")
        return [passkeys, wallets, sessions]
    }

    /// So many more of the one passkey that there is, with ids of their own.
    func copyPasskey(times: Int) async throws {
        _ = try await database.execute(
            """
            insert into passkey (id, flow, account, wallet, name, device, cose_key, algorithm, sign_count,
                uv_initialized, backup_eligible, backed_up, model,
                                 transports, format, attestation_type, trust, created_at)
            select sha256(convert_to(n::text, 'UTF8')), flow, account, wallet, name, device, cose_key, algorithm,
                sign_count, uv_initialized, backup_eligible,
                   backed_up, model, transports, format, attestation_type, trust, created_at
            from passkey, generate_series(1, \(times)) as n
            """)
    }

    func audited(_ action: String) async throws -> [String] {
        try await database.query("select outcome from audit where action = \(action) order by id").map {
            try $0("outcome", as: String.self)
        }
    }

    // MARK: People

    func person(_ name: String) async throws -> Account {
        try await AccountStore(clock: time.clock).create(
            username: name, password: PasswordHash(encoded: "none"), change: AccountChange(), in: database)
    }

    /// A passkey of the account's own; the authenticator knows its handle.
    func enroll(
        _ account: Account, _ authenticator: SoftAuthenticator = SoftAuthenticator(), name: String? = "Key"
    ) async throws -> EnrolledPasskey {
        let options = try await people.creationOptions(for: account, holder: "browser of \(account.username)")
        let body = try authenticator.registration(try options.raw("challenge"))
        let passkey = try await people.register(
            body, as: name, for: account.id, below: [], holder: "browser of \(account.username)",
            actor: LiquidFixture.actor)
        return EnrolledPasskey(
            passkey: passkey, authenticator: authenticator, handle: .string(try options.word("user", "id")))
    }

    func answer(
        _ enrolled: EnrolledPasskey, for account: UUID? = nil, holder: String = "browser"
    ) async throws -> PasskeyAnswer {
        let challenge = try await people.requestOptions(for: account, holder: holder).raw("challenge")
        return try await people.answer(try enrolled.assertion(challenge), holder: holder, actor: LiquidFixture.actor)
    }

    func link(_ wallet: SoftWallet, to account: Account) async throws -> Passkey {
        let challenge = try await people.linkOptions(for: account.id, holder: account.username).raw("challenge")
        return try await people.link(
            try wallet.authenticator.inUse.assertion(challenge), to: account.id, below: [], holder: account.username,
            actor: LiquidFixture.actor)
    }

    static func personRefusal(_ body: () async throws -> Void) async throws -> PasskeyRefusal? {
        do { try await body() } catch let refusal as PasskeyRefusal { return refusal }
        return nil
    }
}

extension SoftAuthenticator {
    /// As it answers: without the flag of an attested credential.
    var inUse: SoftAuthenticator {
        var copy = self
        copy.flags &= 0xBF
        return copy
    }
}

/// A person's passkey and what holds it.
struct EnrolledPasskey {
    let passkey: Passkey
    var authenticator: SoftAuthenticator
    let handle: JSONValue

    func assertion(_ challenge: [UInt8]) throws -> JSONValue {
        try authenticator.inUse.assertion(challenge, userHandle: handle)
    }
}

/// An Algorand account and its passkey, of which a test changes what it likes.
struct SoftWallet {
    var account = Curve25519.Signing.PrivateKey()
    var authenticator = SoftAuthenticator()
    /// Another passkey of the same account.
    var onAnotherDevice: SoftWallet { SoftWallet(account: account) }

    init() {}
    init(account: Curve25519.Signing.PrivateKey) { self.account = account }

    var address: String { AlgorandAddress.text(of: Array(account.publicKey.rawRepresentation)) }

    /// `clientExtensionResults.liquid`.
    func claims(_ challenge: [UInt8]) throws -> JSONObject {
        [
            "type": "algorand", "address": .string(address),
            "signature": .string(Base64URL.encode(try account.signature(for: challenge))), "device": "Soft 1",
        ]
    }

    func attestation(_ challenge: [UInt8], _ change: (inout JSONObject) -> Void = { _ in }) throws -> JSONValue {
        var sent = try claims(challenge)
        change(&sent)
        return with(sent, try authenticator.registration(challenge))
    }

    func assertion(_ challenge: [UInt8], _ sent: JSONObject? = nil) throws -> JSONValue {
        with(sent, try authenticator.inUse.assertion(challenge))
    }

    func with(_ sent: JSONObject?, _ json: JSONValue) -> JSONValue {
        var members = json.object ?? [:]
        if let sent { members["clientExtensionResults"] = ["liquid": .object(sent)] }
        return .object(members)
    }
}
