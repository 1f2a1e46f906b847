import Accounts
import Administration
import ArgumentParser
import Base
import Foundation
import OAuth
import Server

extension AccountsCommand {
    /// `accounts invite`: a link in place of a password that is told by voice.
    struct Invite: AdminChange {
        static let configuration = CommandConfiguration(
            abstract: "Make a link with which a person sets their password, once, within seven days.",
            discussion: """
                With --username it makes the account. The link is printed, and mailed where mail is on and the account \
                has an address. An earlier link of the account is worth nothing any more.
                """)
        @Argument(help: "Username or UUID of an account that is there.") var account: String?
        @Option(help: "Username of a new account.") var username: String?
        @Option(help: "E-mail address.") var email: String?
        @Option(help: "Name as it is shown.") var name: String?
        @Option(help: "Given name.") var givenName: String?
        @Option(help: "Family name.") var familyName: String?
        @Option(help: "Language of the mail: en, de, fr, it.") var language: String?
        @OptionGroup var institution: InstitutionOption
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions

        func validate() throws {
            guard (account == nil) != (username == nil) else {
                throw ValidationError("name an ACCOUNT that is there, or --username of a new one")
            }
            let said = [email, name, givenName, familyName, institution.institution]
            guard username != nil || said.allSatisfy({ $0 == nil }) else {
                throw ValidationError("`accounts update` changes an account that is there")
            }
            guard language.map(["en", "de", "fr", "it"].contains) ?? true else {
                throw ValidationError("--language takes en, de, fr or it")
            }
        }

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let recovery = try session.recovery
            let person =
                if let account { try await session.account(account) } else { try await make(session) }
            guard person.status == .active else {
                throw AdminFailure(.conflict, "\(person.username) is suspended", hint: "`accounts resume` lets them in")
            }
            let link = try await recovery.invite(person, language: language, in: session.executor)
            let node = "account:\(person.id.uuidString.lowercased())"
            try await session.audit("accounts.invite", node: node, account: person.id)
            var result = person.json.object ?? [:]
            // What is rolled back leads nowhere.
            if !change.dryRun { result["link"] = .string(link) }
            let lasts = AccountLinkStore.lifetime(.invite)
            result["link_expires_at"] = .string(session.now.addingTimeInterval(lasts).rfc3339)
            result["mailed"] = .bool(recovery.queue.isOn && person.email != nil)
            return result
        }

        /// With a password that nobody knows.
        private func make(_ session: AdminSession) async throws -> Account {
            let store = AccountStore(clock: session.clock), username = username ?? ""
            if UUID(uuidString: username) == nil, let taken = try await store.find(username, in: session.executor) {
                throw AccountsCommand.taken(username, by: taken, session)
            }
            let hash = try await session.composition.hasher.hash(session.randomness.secretText())
            let account = try await store.create(
                username: username, password: hash,
                change: AccountChange(email: email, name: name, givenName: givenName, familyName: familyName),
                in: session.executor)
            let node = "account:\(account.id.uuidString.lowercased())"
            try await session.audit("accounts.create", node: node, account: account.id)
            return try await institution.assign(account, session)
        }
    }
}

extension AccountsCommand {
    /// Whose it is, who may not see everybody is not told.
    static func taken(_ username: String, by account: Account, _ session: AdminSession) -> AdminFailure {
        let whose =
            session.authority.seesEverything
            ? " by the account \(account.username), \(account.id.uuidString.lowercased())" : ""
        return AdminFailure(.conflict, "\(username) is taken\(whose)")
    }
}

extension AdminSession {
    /// Throws where the configuration runs no IdP.
    var recovery: AccountRecovery {
        get throws {
            guard let idp = try composition.idp else {
                throw AdminFailure(
                    .conflict, "this configuration runs no idp", hint: "name the role `idp`, as your server does")
            }
            return idp.web.recovery
        }
    }
}
