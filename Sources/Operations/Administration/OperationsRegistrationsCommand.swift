import Administration
import ArgumentParser
import Base

/// `operations registrations …`: phones with an app of the operations SDK.
struct OperationsRegistrationsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "registrations", abstract: "Phones: one registration for each app on each.",
        subcommands: [List.self, Show.self, Block.self, Unblock.self, Remove.self])

    struct List: AdminQuery {
        static let configuration = CommandConfiguration(abstract: "List registrations, the newest first.")
        @Flag(help: "Only those that are blocked.") var blocked = false
        @Option(help: ArgumentHelp("Only those for this application.", valueName: "appId")) var app: String?
        @OptionGroup var people: OperationsPeople
        @OptionGroup var list: ListOptions
        @OptionGroup var common: AdminOptions

        func answer(_ session: AdminSession) async throws -> AdminResult {
            var which = OperationsOperator.WhichRegistrations()
            (which.owner, which.userID) = try await people.chosen(session)
            (which.appID, which.isBlocked) = (app, blocked)
            let found = try await session.operationsOperator.registrations(
                which, after: list.after, limit: list.limit + 1, in: session.executor)
            return .page(found, limit: list.limit, cursor: \.id, json: { .object($0.operatorJSON) })
        }
    }

    struct Show: AdminQuery {
        static let configuration = CommandConfiguration(abstract: "Show a registration.")
        @Argument(help: "Its id.") var registration: String
        @OptionGroup var common: AdminOptions

        func answer(_ session: AdminSession) async throws -> AdminResult {
            .object(try await session.operationsOperator.registration(registration, in: session.executor).operatorJSON)
        }
    }

    struct Block: AdminChange {
        static let configuration = CommandConfiguration(
            abstract: "Refuse a phone's signatures until somebody unblocks it, and end the sessions that it let in.",
            discussion: PhoneEnding.help)
        @Argument(help: "Its id.") var registration: String
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions
        var question: String? { "Block the registration \(registration) and end the sessions that it let in?" }

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let (became, already, browsers) = try await session.operationsOperator.block(
                registration, reason: "OPERATOR", in: session.executor)
            return became.operatorJSON.adding(already: already).adding(browsersEnded: browsers)
        }
    }

    struct Unblock: AdminChange {
        static let configuration = CommandConfiguration(abstract: "End a block, and give all attempts back.")
        @Argument(help: "Its id.") var registration: String
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let (became, already) = try await session.operationsOperator.unblock(registration, in: session.executor)
            return became.operatorJSON.adding(already: already)
        }
    }

    struct Remove: AdminChange {
        static let configuration = CommandConfiguration(
            abstract: "End a registration for good, and the sessions that it let in. For phones that are lost.",
            discussion: PhoneEnding.help)
        @Argument(help: "Its id.") var registration: String
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions
        var question: String? {
            """
            Remove the registration \(registration)? Its phone is refused from then on, and the sessions that it let \
            in end.
            """
        }

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let (became, already, browsers) = try await session.operationsOperator.remove(
                registration, in: session.executor)
            return became.operatorJSON.adding(already: already).adding(browsersEnded: browsers)
        }
    }
}
