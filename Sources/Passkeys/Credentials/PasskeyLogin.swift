import Accounts
import Base
import Database
import Foundation
import Logging
import TokenTree
import WebAuthn

/// The door of the room for people of this IdP: their own passkeys, and those of wallets that they linked. Throws
/// `PasskeyRefusal`.
///
/// `holder` stands for the browser, and for what goes on in it if two things can at once: its cookie, or its cookie and
/// the reference of a login attempt. A newer question to one holder takes the place of the older; any answer uses it
/// up.
public struct PasskeyLogin: Sendable {
    /// More than anybody holds.
    public static let mostPasskeys = 20

    let parts: PasskeyServices
    private var party: RelyingParty { parts.party }

    /// `timeout` is in seconds.
    public init(
        database: Database, party: RelyingParty, timeout: TimeInterval = 300, clock: WallClock, randomness: Randomness,
        logger: Logger
    ) {
        parts = PasskeyServices(
            database: database, party: party, timeout: timeout, clock: clock, randomness: randomness, logger: logger)
    }

    /// Deletes questions that nobody can answer any more.
    public func tidy() async throws { try await parts.challenges.tidy(in: parts.database) }

    // MARK: Reading

    /// Most recently used first, then newest; those of wallets (`flow == .liquid`) among them.
    public func passkeys(of account: UUID) async throws -> [Passkey] {
        try await parts.passkeys.list(account: account, in: parts.database)
    }

    public func isEnrolled(
        _ account: UUID, _ flow: Passkey.Flow = .idp, in executor: any SQLExecutor
    ) async throws -> Bool {
        try await parts.passkeys.list(account: account, in: executor).contains { $0.flow == flow }
    }

    /// Tells the log which check it was, for whoever shows the refusal to a person in other words; gives it back.
    public func noted(_ refusal: PasskeyRefusal, _ what: String) -> PasskeyRefusal { parts.noted(refusal, what) }

    // MARK: Registering

    /// PublicKeyCredentialCreationOptionsJSON.
    public func creationOptions(for account: Account, holder: String) async throws -> JSONValue {
        let known = try await passkeys(of: account.id)
        guard known.count < PasskeyLogin.mostPasskeys else { throw PasskeyRefusal.tooMany }
        let handle = try await makeHandle(of: account.id)
        let challenge = try await issue(.register, holder, account: account.id)
        let user = CreationOptions.User(
            id: Base64URL.encode(handle), name: account.username, displayName: account.name ?? account.username)
        // Whether it is found without a name later is told to the person by what the browser says of it (credProps),
        // and decides nothing.
        return CreationOptions(
            party: party, user: user, challenge: challenge, timeout: timeout, exclude: known.map(\.descriptor),
            selection: CreationOptions.selection(residentKey: "preferred", party), extensions: ["credProps": true]
        ).json
    }

    /// `body` is RegistrationResponseJSON, `name` what the person calls it. `lineage` is that of the session in which
    /// they do: it must stand when the passkey does.
    public func register(
        _ body: JSONValue, as name: String?, for account: UUID, below lineage: [NodeID], holder: String,
        actor: AuditActor
    ) async throws -> Passkey {
        let issued = try await consume(.register, holder)
        guard issued.account == account else { throw PasskeyRefusal.challengeUnknown }
        let fresh: NewCredential
        do {
            fresh = try await RegistrationCeremony.verify(
                body, challenge: issued.challenge, party: party, at: parts.clock.now())
        } catch {
            throw PasskeyRefusal.refused(error)
        }
        return try await parts.database.atomically { transaction in
            guard try await TokenBoundRow.stands(lineage, in: transaction) else {
                throw PasskeyRefusal.challengeUnknown
            }
            try await makeRoom(account, in: transaction)
            guard
                try await parts.passkeys.add(
                    fresh, owner: .account(account), name: DeviceName.fit(name) ?? "Passkey", device: nil,
                    in: transaction),
                let passkey = try await parts.passkeys.find(fresh.id, in: transaction)
            else { throw PasskeyRefusal.taken }
            let detail: JSONObject = ["format": .string(fresh.format.rawValue), "trust": .string(fresh.trust.rawValue)]
            try await PasskeyAudit.write(
                "passkey.register", actor, about: fresh.id, account: account, detail, at: parts.clock.now(),
                in: transaction)
            return passkey
        }
    }

    // MARK: Logging in

    /// PublicKeyCredentialRequestOptionsJSON: any of this account's, or, without one, any that the browser finds for
    /// this RP (conditional UI). Its list tells which passkeys an account has: only for somebody who has shown another
    /// factor of it. `only`: those of one kind.
    public func requestOptions(
        for account: UUID?, only flow: Passkey.Flow? = nil, holder: String
    ) async throws -> JSONValue {
        let allow: [Passkey] =
            if let account { try await passkeys(of: account).filter { flow == nil || $0.flow == flow } } else { [] }
        if account != nil, allow.isEmpty { throw PasskeyRefusal.notFound }
        let challenge = try await issue(.login, holder, account: account)
        return RequestOptions(party: party, challenge: challenge, timeout: timeout, allow: allow.map(\.descriptor)).json
    }

    /// `body` is AuthenticationResponseJSON. That the account may log in is the caller's to check. A counter that did
    /// not go up is refused, and noted. `only`: passkeys of another kind are refused.
    public func answer(
        _ body: JSONValue, only flow: Passkey.Flow? = nil, holder: String, actor: AuditActor
    ) async throws -> PasskeyAnswer {
        let issued = try await consume(.login, holder)
        let passkey = try await named(body)
        guard let account = passkey.account else { throw PasskeyRefusal.unknown }
        let outcome: AssertionOutcome
        do {
            guard issued.account == nil || issued.account == account, flow == nil || passkey.flow == flow else {
                throw PasskeyRefusal.refused(.credentialNotAllowed)
            }
            let rule = try await handleRule(passkey, account, isNamed: issued.account != nil)
            outcome = try verify(body, passkey, issued, rule)
        } catch let refusal as PasskeyRefusal {
            // Whoever was asked is meant; where nobody was, whose passkey it claims to be.
            try await PasskeyAudit.refuse(
                "passkey.answer", refusal.explain, actor, about: passkey.id, account: issued.account ?? account,
                at: parts.clock.now(),
                in: parts.database)
            throw refusal
        }
        return try await parts.database.settling { transaction -> Outcome<PasskeyAnswer> in
            guard let used = try await use(passkey, outcome, "passkey.answer", account, actor, in: transaction) else {
                return .refused(PasskeyRefusal.refused(.counterRegressed))
            }
            guard used.passkey.account == account else { throw PasskeyRefusal.unknown }
            return .done(
                PasskeyAnswer(
                    account: account, passkey: used.passkey,
                    isBackupEligible: used.passkey.backupEligible || outcome.backupEligible))
        }
    }

    // MARK: Linking

    /// Asks for a wallet's passkey, which its owner wants to log in to the account with from now on.
    public func linkOptions(for account: UUID, holder: String) async throws -> JSONValue {
        let challenge = try await issue(.link, holder, account: account)
        return RequestOptions(party: party, challenge: challenge, timeout: timeout).json
    }

    /// The right answer shows that the person at the account has the passkey. `lineage` as for `register`.
    public func link(
        _ body: JSONValue, to account: UUID, below lineage: [NodeID], holder: String, actor: AuditActor
    ) async throws -> Passkey {
        let issued = try await consume(.link, holder)
        guard issued.account == account else { throw PasskeyRefusal.challengeUnknown }
        let passkey = try await named(body)
        guard passkey.flow == .liquid, passkey.account == nil else { throw PasskeyRefusal.taken }
        let outcome = try verify(body, passkey, issued, .ignored)
        return try await parts.database.settling { transaction -> Outcome<Passkey> in
            guard try await TokenBoundRow.stands(lineage, in: transaction) else {
                return .refused(PasskeyRefusal.challengeUnknown)
            }
            _ = try await makeHandle(of: account, in: transaction)
            try await makeRoom(account, in: transaction)
            guard try await use(passkey, outcome, "passkey.link", account, actor, in: transaction) != nil else {
                return .refused(PasskeyRefusal.refused(.counterRegressed))
            }
            let linked = try await transaction.execute(
                """
                insert into passkey_link (credential, account, linked_at)
                    values (\(passkey.id), \(account), \(parts.clock.now())) on conflict (credential) do nothing
                """)
            guard linked == 1, let found = try await parts.passkeys.find(passkey.id, in: transaction) else {
                throw PasskeyRefusal.taken
            }
            return .done(found)
        }
    }

    // MARK: Ceremonies

    private var timeout: Int { Int(parts.timeout * 1_000) }

    private func issue(_ purpose: ChallengeStore.Purpose, _ holder: String, account: UUID?) async throws -> [UInt8] {
        try await parts.challenges.issue(
            purpose, holder: PasskeyLogin.hash(holder), account: account, lifetime: parts.timeout, in: parts.database)
    }

    private func consume(_ purpose: ChallengeStore.Purpose, _ holder: String) async throws -> IssuedChallenge {
        guard
            let issued = try await parts.challenges.consume(
                purpose, holder: PasskeyLogin.hash(holder), in: parts.database)
        else {
            throw PasskeyRefusal.challengeUnknown
        }
        return issued
    }

    private func named(_ body: JSONValue) async throws -> Passkey {
        let id: [UInt8]
        do { id = try AuthenticationCeremony.credentialID(body) } catch { throw PasskeyRefusal.refused(error) }
        guard let passkey = try await parts.passkeys.find(id, in: parts.database) else { throw PasskeyRefusal.unknown }
        return passkey
    }

    private func verify(
        _ body: JSONValue, _ passkey: Passkey, _ issued: IssuedChallenge, _ rule: UserHandleRule
    ) throws -> AssertionOutcome {
        do {
            return try AuthenticationCeremony.verify(
                body, challenge: issued.challenge, credential: try passkey.known(), party: party, userHandle: rule)
        } catch {
            throw PasskeyRefusal.refused(error)
        }
    }

    /// Written down, with its line in the audit trail; `nil` when the counter regressed, which has its line too.
    private func use(
        _ passkey: Passkey, _ outcome: AssertionOutcome, _ action: String, _ account: UUID, _ actor: AuditActor,
        in transaction: any SQLExecutor
    ) async throws -> PasskeyStore.Use? {
        guard let use = try await parts.passkeys.use(passkey, outcome, strictly: true, in: transaction) else {
            throw PasskeyRefusal.unknown
        }
        let detail: JSONObject = [
            "counter_regressed": .bool(use.counterRegressed), "eligibility_changed": .bool(use.eligibilityChanged),
        ]
        let actor = use.counterRegressed ? actor.because(WebAuthnRefusal.counterRegressed.explain) : actor
        try await PasskeyAudit.write(
            action, actor, about: passkey.id, account: account, outcome: use.counterRegressed ? "refused" : "done",
            detail, at: parts.clock.now(),
            in: transaction)
        return use.counterRegressed ? nil : use
    }

    // MARK: User handles

    /// Wallets write anything for a handle (protocols/liquid.md, 1.1).
    private func handleRule(_ passkey: Passkey, _ account: UUID, isNamed: Bool) async throws -> UserHandleRule {
        guard passkey.flow == .idp else { return .ignored }
        let handle = try await makeHandle(of: account)
        return isNamed ? .matching(handle) : .required(handle)
    }

    private func makeHandle(of account: UUID, in executor: (any SQLExecutor)? = nil) async throws -> [UInt8] {
        let executor = executor ?? parts.database
        _ = try await executor.execute(
            """
            insert into passkey_user (account, handle, created_at)
                values (\(account), \(parts.randomness.bytes(32)), \(parts.clock.now()))
            on conflict (account) do nothing
            """)
        guard
            let row = try await executor.query("select u.handle from passkey_user u where u.account = \(account)").first
        else { throw DatabaseError.serialization }
        return try row("handle")
    }

    /// One after another, so that of two who take the last place one is refused.
    private func makeRoom(_ account: UUID, in transaction: any SQLExecutor) async throws {
        _ = try await transaction.query(
            "select u.account from passkey_user u where u.account = \(account) for no key update")
        guard try await parts.passkeys.list(account: account, in: transaction).count < PasskeyLogin.mostPasskeys else {
            throw PasskeyRefusal.tooMany
        }
    }

    private static func hash(_ holder: String) -> [UInt8] { Digest.sha256("passkeys \(holder)") }
}

/// A passkey answered rightly, with its user verified.
public struct PasskeyAnswer: Sendable {
    public let account: UUID
    public let passkey: Passkey
    /// As the row said before, or the authenticator says now: what can be copied, or could, is no key in hardware.
    let isBackupEligible: Bool

    /// Of every wallet's answer, however it was asked.
    public static let methodsOfWallets = ["swk", "user"]

    /// RFC 8176: possession and what unlocks it are two factors, and the user was there. That the key is in hardware
    /// counts only where a maker says so. A wallet's app says of every key that its user was verified, and signs for
    /// whichever page it scanned: that is possession and no more.
    public var methods: [String] {
        guard passkey.flow == .idp else { return PasskeyAnswer.methodsOfWallets }
        return ["mfa", !isBackupEligible && passkey.trust == AttestationTrust.rooted.rawValue ? "hwk" : "swk", "user"]
    }
}
