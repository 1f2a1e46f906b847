import Administration
import ArgumentParser
import Base

extension AdminSession {
    public var passkeys: PasskeyOperator { PasskeyOperator(revocation, actor: actor, clock: clock) }
}

/// `passkeys …`: of people and of wallets (docs/liquid.md).
struct PasskeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "passkeys", abstract: "Passkeys that people and wallets log in with.",
        subcommands: [List.self, Show.self, Remove.self])

    struct List: AdminQuery {
        static let configuration = CommandConfiguration(abstract: "List passkeys, the newest first.")
        @Option(help: "Only those that log in to this account, as username or UUID.") var account: String?
        @Option(help: ArgumentHelp("Only those of this wallet.", valueName: "address")) var wallet: String?
        @Flag(help: "Only those whose counter went back once: perhaps there is a copy.") var flagged = false
        @OptionGroup var list: ListOptions
        @OptionGroup var common: AdminOptions

        func answer(_ session: AdminSession) async throws -> AdminResult {
            var which = PasskeyOperator.Which()
            which.account = try await session.accountID(account)
            (which.wallet, which.isFlagged) = (wallet, flagged)
            let found = try await session.passkeys.list(
                which, after: list.after, limit: list.limit + 1, in: session.executor)
            return .page(found, limit: list.limit, cursor: \.text, json: { .object($0.operatorJSON) })
        }
    }

    struct Show: AdminQuery {
        static let configuration = CommandConfiguration(abstract: "Show a passkey.")
        @Argument(help: "Its id; behind -- where it begins with a hyphen.") var passkey: String
        @OptionGroup var common: AdminOptions

        func answer(_ session: AdminSession) async throws -> AdminResult {
            .object(try await session.passkeys.find(passkey, in: session.executor).operatorJSON)
        }
    }

    struct Remove: AdminChange {
        static let configuration = CommandConfiguration(
            abstract: "Delete a passkey, and end the sessions that it let in. For those that are lost or copied.",
            discussion: """
                Sessions of its wallet end, and those of its account's browsers that showed one. Apps and \
                applications that hold tokens go on until you revoke \
                them (tokens revoke account:NAME). The last passkey of an account that asks for one goes too.
                """)
        @Argument(help: "Its id; behind -- where it begins with a hyphen.") var passkey: String
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions
        var question: String? { "Remove the passkey \(passkey)? It lets nobody in from then on." }

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let (removed, sessions, browsers) = try await session.passkeys.remove(passkey, in: session.executor)
            var result = removed.operatorJSON
            result["removed"] = true
            if removed.wallet != nil { result["sessions_ended"] = .integer(sessions) }
            if removed.account != nil { result["browsers_ended"] = .integer(browsers) }
            return result
        }
    }
}

extension PasskeyOperator.NotFound: AdminRefusal {
    public var failure: AdminFailure { AdminFailure(.notFound, description) }
}
