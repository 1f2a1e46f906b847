import Accounts
import Administration
import ArgumentParser
import Base
import Foundation

extension AdminSession {
    var tiqr: TiqrService {
        get throws { try model(TiqrService.self, role: "tiqr") }
    }

    fileprivate var administration: TiqrAdministration {
        get throws { TiqrAdministration(try tiqr, revocation, actor: actor) }
    }
}

/// `tiqr …`: phones that log in by scanning (docs/tiqr.md).
struct TiqrCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tiqr", abstract: "Phones that log in by scanning.",
        subcommands: [Identities.self, Identifiers.self, Import.self])

    struct Identities: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "What phones hold: one identity for each enrollment.",
            subcommands: [List.self, Show.self, Block.self, Unblock.self, Remove.self])
    }
}

extension TiqrCommand.Identities {
    struct List: AdminQuery {
        static let configuration = CommandConfiguration(abstract: "List identities, by name.")
        @Option(help: ArgumentHelp("Only those of this external id.", valueName: "id")) var externalID: String?
        @Option(help: "Only the phones of this account, as username or UUID.") var account: String?
        @OptionGroup var list: ListOptions
        @OptionGroup var common: AdminOptions

        func validate() throws {
            guard externalID == nil || account == nil else { throw ValidationError("give --external-id or --account") }
        }

        func answer(_ session: AdminSession) async throws -> AdminResult {
            let person = try await session.accountID(account)?.uuidString.lowercased()
            let found = try await session.administration.list(
                owner: person == nil ? nil : "house", externalID: person ?? externalID, after: list.after,
                limit: list.limit + 1,
                in: session.executor)
            return .page(found, limit: list.limit, cursor: \.identity.identity, json: { .object($0.json) })
        }
    }

    struct Show: AdminQuery {
        static let configuration = CommandConfiguration(abstract: "Show an identity.")
        @Argument(help: "Its name; behind -- where it begins with a hyphen.") var identity: String
        @OptionGroup var common: AdminOptions

        func answer(_ session: AdminSession) async throws -> AdminResult {
            .object(try await session.administration.find(identity, in: session.executor).json)
        }
    }

    struct Block: AdminChange {
        static let configuration = CommandConfiguration(
            abstract:
                """
                Refuse an identity's answers, for a while or until it is unblocked, and end the sessions that it let \
                in.
                """,
            discussion: PhoneEnding.help)
        @Argument(help: "Its name; behind -- where it begins with a hyphen.") var identity: String
        @Option(help: "For so long; without it until somebody unblocks it.") var minutes: Int?
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions
        var question: String? { "Block the identity \(identity) and end the sessions that it let in?" }

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let (became, already, browsers) = try await session.administration.block(
                identity, minutes: minutes, in: session.executor)
            return became.json.adding(already: already).adding(browsersEnded: browsers)
        }
    }

    struct Unblock: AdminChange {
        static let configuration = CommandConfiguration(
            abstract: "End any block of an identity, and give all attempts back.")
        @Argument(help: "Its name; behind -- where it begins with a hyphen.") var identity: String
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let (became, already) = try await session.administration.unblock(identity, in: session.executor)
            return became.json.adding(already: already)
        }
    }

    struct Remove: AdminChange {
        static let configuration = CommandConfiguration(
            abstract:
                "Delete an identity and its secret, and end the sessions that it let in. For phones that are lost.",
            discussion: PhoneEnding.help)
        @Argument(help: "Its name; behind -- where it begins with a hyphen.") var identity: String
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions
        var question: String? {
            "Remove the identity \(identity)? Its phone is refused from then on, and the sessions that it let in end."
        }

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let (was, browsers) = try await session.administration.remove(identity, in: session.executor)
            var result = was.json
            result["removed"] = true
            return result.adding(browsersEnded: browsers)
        }
    }
}
