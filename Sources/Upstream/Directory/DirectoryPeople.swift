import Accounts
import Base
import Database
import Foundation
import LDAP
import Logging
import TokenTree
import Vocabulary

/// People whose password a directory knows. Who is right there has an account: the one that they had, or the one that
/// has the name they typed and belongs to no other institution, or a new one. What the directory says of them comes
/// into it as a provider's word does.
final class DirectoryPeople: Sendable {
    typealias Ask =
        @Sendable (_ username: String, _ login: String, _ password: String) async throws -> LDAPDirectory.Outcome

    let values: DirectoryValues
    let ask: Ask
    let database: Database
    let accounts: AccountStore
    let hash: @Sendable (String) async throws -> PasswordHash
    let clock: WallClock
    let randomness: Randomness
    let logger: Logger

    init(
        _ values: DirectoryValues, database: Database, clock: WallClock, randomness: Randomness, logger: Logger,
        hash: @escaping @Sendable (String) async throws -> PasswordHash, ask: @escaping Ask
    ) {
        (self.values, self.database, self.clock, self.randomness) = (values, database, clock, randomness)
        (self.logger, self.hash, self.ask) = (logger, hash, ask)
        accounts = AccountStore(clock: clock)
    }

    /// See `PasswordDirectory.Account`.
    func account(_ login: String, _ password: String) async throws -> Account? {
        guard let username = name(login), !password.isEmpty else { return nil }
        let outcome: LDAPDirectory.Outcome
        do { outcome = try await ask(username, login, password) } catch is LDAPDirectory.Busy {
            throw PasswordHasher.Busy()
        }
        switch outcome {
        case .wrong: return nil
        case .away(let reason):
            logger.warning("the directory did not answer a login", metadata: ["reason": "\(reason)"])
            throw OAuthError(
                .temporarilyUnavailable, "the directory of your institution does not answer; try again in a moment",
                retryAfter: 30)
        case .right(let attributes):
            guard isNamed(username, login, attributes) else { return nil }
            return try await account(login, said: attributes)
        }
    }

    /// Directories take for one what is two here: Active Directory passes over accents, others over soft hyphens, so
    /// that the entry of `mallory` is found by `mállory`, who is somebody else. What the entry says of its name, where
    /// it does, is what was typed.
    private func isNamed(_ username: String, _ login: String, _ attributes: [String: [String]]) -> Bool {
        let told = values.naming.compactMap { naming in
            attributes.first { $0.key.lowercased() == naming.attribute.lowercased() }.map {
                (typed: Username.key(naming.isWhole ? login : username), names: $0.value.map(Username.key))
            }
        }
        return told.isEmpty || told.contains { one in one.names.contains { $0.isSame(as: one.typed) } }
    }

    /// What stands before the `@` of a name that is the directory's; `nil` of another's.
    private func name(_ login: String) -> String? {
        let parts = login.split(separator: "@", omittingEmptySubsequences: false).map(String.init)
        // Of a directory that is asked for what stands before the @, nobody shows what stands behind it: one person
        // there would have an account for each domain, and anybody's here.
        guard !values.domains.isEmpty else { return parts.count == 1 || values.isAskedForAll ? parts.first : nil }
        guard parts.count == 2, values.domains.contains(parts[1].lowercased()) else { return nil }
        return parts[0]
    }

    private func account(_ login: String, said attributes: [String: [String]]) async throws -> Account? {
        let key = Username.key(login), claims = try await claims(attributes)
        // Argon2 takes its time: not in a transaction, and only for who is new.
        let isNew = try await accounts.find(login, in: database) == nil
        let fresh = isNew ? try await hash(randomness.secretText()) : PasswordHash(encoded: "")
        return try await database.atomically { transaction in
            guard let (account, told) = try await find(key, login, claims, fresh, in: transaction) else { return nil }
            let change = claims.change(of: account, toldBefore: told)
            let changed = change.isNothing ? account : try await accounts.update(account.id, change, in: transaction)
            _ = try await transaction.execute(
                """
                update directory_person set told = \(JSONValue.object(claims.told)), last_used_at = \(clock.now())
                where account = \(account.id)
                """)
            return changed ?? account
        }
    }

    private func claims(_ attributes: [String: [String]]) async throws -> PersonClaims {
        let said = JSONObject(
            attributes.sorted { $0.key < $1.key }.compactMap { name, values -> (String, JSONValue)? in
                guard let first = values.first else { return nil }
                return (name, values.count == 1 ? .string(first) : JSONValue(strings: values))
            })
        // One-valued members take the first; what has many is read as such.
        let single = PersonClaims.Member.allCases.compactMap { values.map[$0.rawValue] }
        var claims = said
        for name in single { claims[name] = attributes[name]?.first.map(JSONValue.string) }
        let institution = try await InstitutionStore(clock: clock).find(values.institution, in: database)
        let domains = Set((institution?.domains ?? []).map { $0.lowercased() })
        return PersonClaims(
            claims, names: values.map, isVerified: true, owns: { domains.contains($0.lowercased()) })
    }

    /// Theirs, and what the directory said last.
    private func find(
        _ key: String, _ login: String, _ claims: PersonClaims, _ password: PasswordHash,
        in transaction: any SQLExecutor
    ) async throws -> (Account, JSONObject)? {
        let known = try await transaction.query(
            "select d.account, d.told from directory_person d where d.name = \(key) for update"
        ).first
        if let known {
            let id: UUID = try known("account"), told: JSONValue = try known("told")
            // It may have moved since.
            guard let held = try await accounts.hold(id, in: transaction),
                try await isOurs(id, in: transaction)
            else { return nil }
            return (held, told.object ?? [:])
        }
        if let account = try await accounts.find(login, in: transaction) {
            let rows = try await transaction.query(
                """
                select a.id from account a where a.id = \(account.id) and a.username_key = \(key)
                    and (a.institution is null or a.institution = \(values.institution)) for no key update
                """)
            guard !rows.isEmpty else { return nil }
            try await note(account.id, key, "directory.link", in: transaction)
            return (account, [:])
        }
        guard !password.encoded.isEmpty else { throw DatabaseError.serialization }
        let account: Account
        do {
            account = try await accounts.create(
                username: login, password: password,
                change: AccountChange(
                    email: claims.email.flatMap { NewUsername.isAddress($0) ? $0 : nil }, name: claims.texts[.name],
                    givenName: claims.texts[.givenName], familyName: claims.texts[.familyName],
                    attributes: claims.attributes), in: transaction)
        } catch AccountStore.Refused.usernameTaken {
            throw DatabaseError.serialization  // Somebody was faster: again, with the account that there is now.
        } catch AccountStore.Refused.badUsername {
            return nil
        } catch AccountStore.Refused.unstableUsername {
            return nil
        }
        _ = try await transaction.execute(
            """
            update account set institution = (select i.id from institution i where i.id = \(values.institution)),
                email_verified_at = \(account.email == nil ? nil : clock.now())
            where id = \(account.id)
            """)
        try await note(account.id, key, "directory.create", in: transaction)
        return (account, claims.told)
    }

    /// Of the directory's institution, or of none.
    private func isOurs(_ account: UUID, in transaction: any SQLExecutor) async throws -> Bool {
        try await !transaction.query(
            """
            select a.id from account a where a.id = \(account)
                and (a.institution is null or a.institution = \(values.institution))
            """
        ).isEmpty
    }

    private func note(
        _ account: UUID, _ key: String, _ action: String, in transaction: any SQLExecutor
    ) async throws {
        _ = try await transaction.execute(
            """
            insert into directory_person (account, name, told, linked_at)
            values (\(account), \(key), '{}', \(clock.now())) on conflict (account) do nothing
            """)
        let entry = AuditEntry(
            actor: AuditActor(name: "directory", reason: "right password there"), action: "upstream.\(action)",
            node: "account:\(account.uuidString.lowercased())", account: account)
        try await AuditTrail.write(entry, at: clock.now(), in: transaction)
    }
}
