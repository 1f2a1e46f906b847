import Accounts
import Base
import Database
import Foundation
import HTTP
import OAuth
import TokenTree

/// Which account somebody is who came back from a provider. In this order: who is linked; who is found by the
/// provider's rule; who gets an account; nobody, who logs in with their password once.
///
/// Nobody is found by an address that the provider has not verified, by a name of another domain than the
/// institution's, or where more than one has it; and no account of another institution is ever linked.
struct AccountLinking: Sendable {
    enum Found: Sendable {
        case link(UpstreamLink)
        case nobody
    }

    let links: LinkStore
    let accounts: AccountStore
    let clock: WallClock
    let randomness: Randomness
    let hash: @Sendable (String) async throws -> PasswordHash

    init(
        clock: WallClock, randomness: Randomness, hash: @escaping @Sendable (String) async throws -> PasswordHash
    ) {
        (links, accounts) = (LinkStore(clock: clock), AccountStore(clock: clock))
        (self.clock, self.randomness, self.hash) = (clock, randomness, hash)
    }

    func find(
        _ person: UpstreamPerson, at provider: UpstreamProvider, _ actor: AuditActor, telling notices: AccountNotices,
        in database: Database
    ) async throws -> Found {
        let claims = person.person(provider)
        let known = try await database.atomically { transaction -> UpstreamLink? in
            if let link = try await links.hold(person.subject, at: provider.id, in: transaction) {
                // It may have moved since it was linked.
                guard try await isLinkable(link.account, provider, in: transaction) else {
                    throw UpstreamRefusal.foreign
                }
                return link
            }
            guard let account = try await candidate(claims, provider, in: transaction) else { return nil }
            return try await link(
                person.subject, at: provider, to: account, "found by \(provider.linkBy.rawValue)", actor,
                telling: notices, in: transaction)
        }
        if let known { return .link(known) }
        guard provider.creates else { return .nobody }
        // Argon2 takes its time: not in a transaction.
        let password = try await hash(randomness.secretText())
        for _ in 0..<3 {
            do {
                return .link(
                    try await database.atomically { transaction in
                        // Somebody else may have been faster.
                        if let link = try await links.hold(person.subject, at: provider.id, in: transaction) {
                            return link
                        }
                        return try await make(person, claims, provider, password, actor, in: transaction)
                    })
            } catch AccountStore.Refused.usernameTaken {
                // Another account took the name meanwhile: the next one is free.
            }
        }
        throw DatabaseError.serialization
    }

    /// Links who is logged in here, or was found. From now on one gets in by it, so its person is told, at the address
    /// that the account had before. Throws `UpstreamRefusal`.
    func link(
        _ subject: String, at provider: UpstreamProvider, to account: UUID, _ why: String, _ actor: AuditActor,
        telling notices: AccountNotices, in transaction: any SQLExecutor
    ) async throws -> UpstreamLink {
        guard try await isLinkable(account, provider, in: transaction) else { throw UpstreamRefusal.foreign }
        if let link = try await links.hold(subject, at: provider.id, in: transaction) {
            guard link.account == account else { throw UpstreamRefusal.taken }
            return link
        }
        guard
            try await links.add(subject, at: provider.id, to: account, madeAccount: false, in: transaction),
            let link = try await links.hold(subject, at: provider.id, in: transaction)
        else { throw UpstreamRefusal.taken }
        try await UpstreamAudit.write(
            "upstream.link", actor.because(why), provider.id, account, at: clock.now(), in: transaction)
        if let person = try await accounts.find(account, in: transaction) {
            try await notices.factorAdded(LoginElsewhere.way, id: link.reference, to: person, in: transaction)
        }
        return link
    }

    /// Brings what the provider says of them into the account, as far as it is the provider's to say.
    func update(
        _ link: UpstreamLink, _ claims: PersonClaims, in transaction: any SQLExecutor
    ) async throws {
        guard let account = try await accounts.hold(link.account, in: transaction) else { return }
        let change = claims.change(of: account, toldBefore: link.told)
        if !change.isNothing { _ = try await accounts.update(account.id, change, in: transaction) }
        try await links.use(link, told: claims.told, in: transaction)
    }

    /// Whether an account is of the provider's institution, or of none.
    func isLinkable(
        _ account: UUID, _ provider: UpstreamProvider, in transaction: any SQLExecutor
    ) async throws -> Bool {
        try await !transaction.query(
            """
            select a.id from account a where a.id = \(account)
                and (a.institution is null or a.institution = \(provider.institution))
            """
        ).isEmpty
    }

    /// The one account that is found by the provider's rule. Addresses and names are given to others in time, so that
    /// one at whom somebody else comes from there is none; and whoever has roles beyond the institution's says themself
    /// that it is they, since its provider would otherwise decide who administers the federation.
    private func candidate(
        _ claims: PersonClaims, _ provider: UpstreamProvider, in transaction: any SQLExecutor
    ) async throws -> UUID? {
        let condition: SQL
        switch provider.linkBy {
        case .subject: return nil
        case .email:
            guard let email = claims.email else { return nil }
            // The index folds as the locale has it, where U+212A has the small form of K, and another mailbox: letters
            // of ASCII alone fold here. An address that nobody has shown to read counts where an operator gave it to
            // one of the institution's own.
            condition = """
                lower(a.email) = lower(\(email))
                    and lower(a.email collate "C") = lower(\(email)::text collate "C")
                    and (a.email_verified_at is not null or a.institution = \(provider.institution))
                """
        case .eppn:
            guard let name = claims.principalName else { return nil }
            condition = """
                a.attributes -> 'eduperson_principal_name' is not null
                    and a.attributes -> 'eduperson_principal_name' ->> 0 = \(name)
                """
        }
        let found: [UUID] = try await transaction.query(
            """
            select a.id from account a where \(condition)
                and (a.institution is null or a.institution = \(provider.institution)) limit 2
            """
        ).map { try $0("id") }
        guard found.count == 1, let account = found.first else { return nil }
        let others = try await transaction.query(
            """
            select l.subject from upstream_link l
            where l.account = \(account) and l.provider = \(provider.id) limit 1
            """)
        let exceeds = try await RoleStore.exceeds(account, institutions: [provider.institution], in: transaction)
        return others.isEmpty && !exceeds ? account : nil
    }

    // MARK: New accounts

    private func make(
        _ person: UpstreamPerson, _ claims: PersonClaims, _ provider: UpstreamProvider, _ password: PasswordHash,
        _ actor: AuditActor, in transaction: any SQLExecutor
    ) async throws -> UpstreamLink {
        let name = try await freeName(claims, in: transaction)
        let change = AccountChange(
            email: claims.email.flatMap { NewUsername.isAddress($0) ? $0 : nil }, name: claims.texts[.name],
            givenName: claims.texts[.givenName], familyName: claims.texts[.familyName], attributes: claims.attributes)
        let account = try await accounts.create(
            username: name, password: password, change: change, in: transaction)
        let verifiedAt = account.email == nil ? nil : clock.now()
        _ = try await transaction.execute(
            """
            update account set institution = \(provider.institution), email_verified_at = \(verifiedAt)
            where id = \(account.id)
            """)
        guard
            try await links.add(person.subject, at: provider.id, to: account.id, madeAccount: true, in: transaction),
            let link = try await links.hold(person.subject, at: provider.id, in: transaction)
        else { throw DatabaseError.serialization }
        try await UpstreamAudit.write(
            "upstream.create", actor.because("first login"), provider.id, account.id, at: clock.now(), in: transaction)
        return link
    }

    /// The name that the institution knows them by, with a number where somebody has it.
    private func freeName(_ claims: PersonClaims, in transaction: any SQLExecutor) async throws -> String {
        let wanted = NewUsername.wanted(claims) ?? "person-\(randomness.identifier().prefix(8).lowercased())"
        for suffix in ["", "-2", "-3", "-4", "-5", "-6", "-7", "-8", "-9"] {
            let name = String(wanted.prefix(60)) + suffix
            if try await accounts.find(name, in: transaction) == nil { return name }
        }
        return "\(wanted.prefix(48))-\(Hexadecimal.encode(randomness.bytes(4)))"
    }
}
