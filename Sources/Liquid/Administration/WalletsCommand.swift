import Administration
import ArgumentParser
import Base
import Passkeys

extension AdminSession {
    fileprivate var wallets: WalletOperator { WalletOperator(revocation, actor: actor, clock: clock) }
}

/// `wallets …`: Algorand addresses that log in with passkeys, and their sessions (docs/liquid.md).
struct WalletsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wallets", abstract: "Wallets that log in with passkeys, and their sessions.",
        subcommands: [List.self, Show.self, Sessions.self, Revoke.self])

    struct List: AdminQuery {
        static let configuration = CommandConfiguration(abstract: "List wallets, by address.")
        @Option(help: "Only those that this account is linked with, as username or UUID.") var account: String?
        @OptionGroup var list: ListOptions
        @OptionGroup var common: AdminOptions

        func answer(_ session: AdminSession) async throws -> AdminResult {
            let person = try await session.accountID(account)
            let found = try await session.wallets.list(
                account: person, after: list.after, limit: list.limit + 1, in: session.executor)
            return .page(found, limit: list.limit, cursor: \.address, json: { .object($0.json) })
        }
    }

    struct Show: AdminQuery {
        static let configuration = CommandConfiguration(abstract: "Show a wallet with its passkeys.")
        @Argument(help: "Its address.") var wallet: String
        @OptionGroup var common: AdminOptions

        func answer(_ session: AdminSession) async throws -> AdminResult {
            var result = try await session.wallets.find(wallet, in: session.executor).json
            var which = PasskeyOperator.Which()
            which.wallet = wallet
            // More than any wallet may have.
            let passkeys = try await session.passkeys.list(which, limit: 1_000, in: session.executor)
            result["credentials"] = .array(passkeys.map { .object($0.operatorJSON) })
            return .object(result)
        }
    }

    struct Sessions: AdminQuery {
        static let configuration = CommandConfiguration(
            abstract: "List a wallet's sessions, the newest first; those that ended lately say so.")
        @Argument(help: "The wallet's address.") var wallet: String
        @OptionGroup var list: ListOptions
        @OptionGroup var common: AdminOptions

        func answer(_ session: AdminSession) async throws -> AdminResult {
            _ = try await session.wallets.find(wallet, in: session.executor)
            let found = try await session.wallets.sessions(
                of: wallet, after: list.after, limit: list.limit + 1, in: session.executor)
            return .page(found, limit: list.limit, cursor: \.session.id, json: { .object($0.json) })
        }
    }

    struct Revoke: AdminChange {
        static let configuration = CommandConfiguration(
            abstract: "End a wallet's sessions and close their sockets; its passkeys go on.", aliases: ["cut"])
        @Argument(help: "The wallet's address.") var wallet: String
        @Option(name: .customLong("session"), help: ArgumentHelp("Only this one.", valueName: "id")) var one: String?
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions
        var question: String? { one.map { "End the session \($0)?" } ?? "End all sessions of the wallet \(wallet)?" }

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let ended = try await session.wallets.revoke(wallet, session: one, in: session.executor)
            let result: JSONObject = ["wallet": .string(wallet), "ended": JSONValue(strings: ended)]
            return result.adding(already: ended.isEmpty)
        }
    }
}
