import Accounts
import Administration
import ArgumentParser
import Base
import Database
import Foundation
import HTTP
import OAuth
import Server
import TokenTree

/// `accounts …`: people.
struct AccountsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accounts", abstract: "People.",
        subcommands: [
            Create.self, Invite.self, List.self, Show.self, Update.self, Password.self, Suspend.self, Resume.self,
            Delete.self,
            Refuse.self, Allow.self,
            Import.self, Export.self,
        ])

    struct Create: AdminChange {
        static let configuration = CommandConfiguration(abstract: "Make an account.")
        @Option(help: "What the person logs in with.") var username: String
        @Flag(help: "Read the password from stdin.") var passwordStdin = false
        @Option(help: "E-mail address.") var email: String?
        @Option(help: "Name as it is shown.") var name: String?
        @Option(help: "Given name.") var givenName: String?
        @Option(help: "Family name.") var familyName: String?
        @OptionGroup var attributes: AttributeOptions
        @OptionGroup var institution: InstitutionOption
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions

        func validate() throws {
            guard passwordStdin else {
                throw ValidationError("--password-stdin is needed: secrets never are arguments")
            }
        }

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let store = AccountStore(clock: session.clock)
            let password = try AdminInput.password()
            if UUID(uuidString: username) == nil, let taken = try await store.find(username, in: session.executor) {
                throw AccountsCommand.taken(username, by: taken, session)
            }
            try session.composition.passwordRule.check(
                password, names: [username, email, name, givenName, familyName].compactMap(\.self))
            let hash = try await session.composition.hasher.hash(password)
            let made = try await store.create(
                username: username, password: hash,
                change: AccountChange(
                    email: email, name: name, givenName: givenName, familyName: familyName,
                    attributes: try attributes.wanted(beside: .init())),
                in: session.executor)
            let account = try await institution.assign(made, session)
            try await session.audit("accounts.create", node: account.node, account: account.id)
            try await session.composition.idp?.web.recovery.verify(account, in: session.executor)
            return account.json.object ?? [:]
        }
    }

    struct List: AdminQuery {
        static let configuration = CommandConfiguration(abstract: "List accounts, oldest first.")
        @Option(help: "Part of a username, e-mail or name.") var query: String?
        @OptionGroup var institution: InstitutionListOption
        @OptionGroup var list: ListOptions
        @OptionGroup var common: AdminOptions

        func answer(_ session: AdminSession) async throws -> AdminResult {
            let cursor = try list.after.map { text in
                guard let id = UUID(uuidString: text) else {
                    throw AdminFailure(.invalid, "--after takes what `next` gave")
                }
                return id
            }
            let found = try await AccountStore(clock: session.clock).list(
                query: query, of: institution.filter(session), after: cursor, limit: list.limit + 1,
                in: session.executor)
            return .page(found, limit: list.limit, cursor: { $0.id.uuidString.lowercased() }, json: \.json)
        }
    }

    struct Show: AdminQuery {
        static let configuration = CommandConfiguration(abstract: "Show an account.")
        @Argument(help: "Username or UUID.") var account: String
        @OptionGroup var common: AdminOptions

        func answer(_ session: AdminSession) async throws -> AdminResult {
            .object(try await session.account(account).json.object ?? [:])
        }
    }

    struct Update: AdminChange {
        static let configuration = CommandConfiguration(abstract: "Change an account.")
        @Argument(help: "Username or UUID.") var account: String
        @Option(help: "E-mail address.") var email: String?
        @Option(help: "Name as it is shown.") var name: String?
        @Option(help: "Given name.") var givenName: String?
        @Option(help: "Family name.") var familyName: String?
        @Option(help: "What a login must show beside the password: \(Account.RequiredFactor.words).")
        var requireFactor: String?
        @OptionGroup var attributes: AttributeOptions
        @OptionGroup var institution: InstitutionOption
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let factor = try requireFactor.map { word in
                guard let factor = Account.RequiredFactor(rawValue: word) else {
                    throw AdminFailure(.usage, "--require-factor takes \(Account.RequiredFactor.words)")
                }
                return factor
            }
            let found = try await session.account(account), store = AccountStore(clock: session.clock)
            // Held, as attributes are added to those that are there.
            guard let known = try await store.hold(found.id, in: session.executor) else {
                throw AdminFailure.noAccount(account)
            }
            let change = AccountChange(
                email: email, name: name, givenName: givenName, familyName: familyName, requiredFactor: factor,
                attributes: try attributes.wanted(beside: known.attributes))
            guard
                let updated = try await store.update(known.id, change, in: session.executor)
            else { throw AdminFailure.noAccount(account) }
            try await session.audit("accounts.update", node: known.node, account: known.id)
            if let email, email != known.email, let recovery = try session.composition.idp?.web.recovery {
                try await recovery.notices.addressChanged(
                    of: known, from: known.email, to: email, in: session.executor)
                try await recovery.verify(updated, in: session.executor)
            }
            return try await institution.assign(updated, session).json.object ?? [:]
        }
    }

    struct Password: AdminChange {
        static let configuration = CommandConfiguration(
            abstract: "Set a password; ends the account's browser sessions and what the old one opened.")
        @Argument(help: "Username or UUID.") var account: String
        @Flag(help: "Read the password from stdin.") var passwordStdin = false
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions

        func validate() throws {
            guard passwordStdin else {
                throw ValidationError("--password-stdin is needed: secrets never are arguments")
            }
        }

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let known = try await session.account(account)
            let password = try AdminInput.password()
            try session.composition.passwordRule.check(password, names: known.names)
            let hash = try await session.composition.hasher.hash(password)
            let change = ChangePassword(store: session.store, revocation: session.revocation, clock: session.clock)
            var sessions = 0
            let revoked = try await RevocationReport.revoke(
                .virtual(Ancestor(.password, known.id.uuidString.lowercased())), session
            ) {
                guard let done = try await change.reset(hash, of: known.id, by: session.actor, in: session.executor)
                else { throw AdminFailure.noAccount(account) }
                sessions = done.sessions
                return done.revoked
            }
            try await session.audit("accounts.password", node: known.node, account: known.id)
            try await session.composition.idp?.web.recovery.notices.passwordChanged(of: known, in: session.executor)
            var result = known.json.object ?? [:]
            result["sessions_ended"] = .integer(sessions)
            result["revoked"] = revoked
            return result
        }
    }

    struct Suspend: AdminChange {
        static let configuration = CommandConfiguration(abstract: "Keep a person out, and end all that acts for them.")
        @Argument(help: "Username or UUID.") var account: String
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions
        var question: String? { "Suspend \(account) and end all their tokens?" }

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let known = try await session.account(account)
            guard
                let suspended = try await AccountStore(clock: session.clock).setStatus(
                    known.id, .suspended, in: session.executor)
            else { throw AdminFailure.noAccount(account) }
            var result = suspended.json.object ?? [:]
            result["already"] = .bool(known.status == .suspended)
            result["revoked"] = try await RevocationReport.revoke(
                .virtual(Ancestor(.account, known.id.uuidString.lowercased())), session)
            try await session.audit("accounts.suspend", node: known.node, account: known.id)
            return result
        }
    }

    struct Resume: AdminChange {
        static let configuration = CommandConfiguration(
            abstract: "Let a suspended person in again; what was ended stays so.")
        @Argument(help: "Username or UUID.") var account: String
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let known = try await session.account(account)
            guard
                let active = try await AccountStore(clock: session.clock).setStatus(
                    known.id, .active, in: session.executor)
            else { throw AdminFailure.noAccount(account) }
            try await session.audit("accounts.resume", node: known.node, account: known.id)
            var result = active.json.object ?? [:]
            result["already"] = .bool(known.status == .active)
            return result
        }
    }

    struct Delete: AdminChange {
        static let configuration = CommandConfiguration(
            abstract: "Delete an account, its phones and its passkeys, and end all that acts for it.")
        @Argument(help: "Username or UUID.") var account: String
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions
        var question: String? { "Delete \(account) for good?" }

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let known = try await session.account(account)
            let deletions = Product.all.compactMap(\.administration.accountDeletion)
            let removal = AccountRemoval(
                revocation: session.revocation, parts: deletions.map(AccountRemoval.Part.init), clock: session.clock)
            var removed = JSONObject()
            let revoked = try await RevocationReport.revoke(
                .virtual(Ancestor(.account, known.id.uuidString.lowercased())), session
            ) {
                let done = try await removal.remove(known.id, by: session.actor, in: session.executor)
                removed = done.counts
                return done.revoked
            }
            try await session.audit("accounts.delete", node: known.node, account: known.id)
            var result = known.json.object ?? [:]
            for (name, count) in removed { result[name] = count }
            result["revoked"] = revoked
            return result
        }
    }
}

extension Account {
    fileprivate var node: String { "account:\(id.uuidString.lowercased())" }
}

extension Account.RequiredFactor {
    /// All that may be asked for, in words.
    fileprivate static var words: String {
        allCases.filter { $0 != .none }.map(\.rawValue).joined(separator: ", ") + " or \(none.rawValue)"
    }
}
