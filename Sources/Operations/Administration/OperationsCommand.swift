import Accounts
import Administration
import ArgumentParser
import Base
import Foundation

extension AdminSession {
    var operations: OperationsServices {
        get throws { try model(OperationsServices.self, role: "operations") }
    }

    var operationsOperator: OperationsOperator {
        get throws {
            let room = try operations
            return OperationsOperator(room.powerAuth, room.operations, revocation, actor: actor)
        }
    }
}

/// `operations …`: what people approve on their phones (docs/operations.md).
struct OperationsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "operations", abstract: "What people approve on their phones.",
        subcommands: [
            Config.self, OperationsProtocolsCommand.self, OperationsApplicationsCommand.self,
            OperationsRegistrationsCommand.self, List.self, Show.self, Cancel.self,
        ])

    struct Config: AdminQuery {
        static let configuration = CommandConfiguration(
            abstract: "What a mobile app is built with: base URL and configuration of the SDK.",
            discussion:
                """
                Without --app that of the server's own application, with which people of this federation approve \
                their logins and what apps ask them.
                """
        )
        @Option(help: ArgumentHelp("The application of a relying service.", valueName: "appId")) var app: String?
        @Option(
            help: ArgumentHelp("Whose it is, where several services have one of that name.", valueName: "client id"))
        var client: String?
        @OptionGroup var common: AdminOptions

        func validate() throws {
            guard client == nil || app != nil else { throw ValidationError("--client goes with --app") }
        }

        func answer(_ session: AdminSession) async throws -> AdminResult {
            let room = try session.operations
            let view =
                if let app { try await room.powerAuth.application(app, for: caller(session)) } else {
                    try await room.powerAuth.idpApplication()
                }
            return .object([
                "app": .string(view.application.appID), "name": .string(view.application.name),
                "url": .string(room.operations.settings.base),
                "sdk_config": JSONValue(view.sdkConfig),
            ])
        }

        private func caller(_ session: AdminSession) -> OperationsCaller {
            client.map { OperationsCaller.machine(client: $0, below: [], actor: session.actor) }
                ?? .administrator(session.actor)
        }
    }

    struct List: AdminQuery {
        static let configuration = CommandConfiguration(abstract: "List operations, the newest first.")
        @Option(help: "Only in this state: PENDING, APPROVED, REJECTED, CANCELED, EXPIRED or FAILED.") var status:
            String?
        @Option(help: ArgumentHelp("Only those that a relying service knows by this id.", valueName: "id"))
        var externalID: String?
        @Flag(help: "Only those that nobody has yet.") var unclaimed = false
        @OptionGroup var people: OperationsPeople
        @OptionGroup var list: ListOptions
        @OptionGroup var common: AdminOptions

        func validate() throws {
            guard !unclaimed || (people.account == nil && people.user == nil) else {
                throw ValidationError("--unclaimed has neither --account nor --user")
            }
        }

        func answer(_ session: AdminSession) async throws -> AdminResult {
            var which = OperationsOperator.WhichOperations()
            which.isUnclaimed = unclaimed
            (which.owner, which.userID) = try await people.chosen(session)
            which.externalID = externalID
            which.status = try status.map { word in
                guard let status = OperationStatus(rawValue: word.uppercased()) else {
                    throw AdminFailure(
                        .usage,
                        "--status takes one of \(OperationStatus.allCases.map(\.rawValue).joined(separator: ", "))")
                }
                return status
            }
            let found = try await session.operationsOperator.operations(
                which, after: list.after, limit: list.limit + 1, in: session.executor)
            return .page(found, limit: list.limit, cursor: \.id, json: { .object($0.operatorJSON) })
        }
    }

    struct Show: AdminQuery {
        static let configuration = CommandConfiguration(
            abstract: "Show an operation. What it is about stays with the service that asks.")
        @Argument(help: "Its id.") var operation: String
        @OptionGroup var common: AdminOptions

        func answer(_ session: AdminSession) async throws -> AdminResult {
            .object(try await session.operationsOperator.operation(operation, in: session.executor).operatorJSON)
        }
    }

    struct Cancel: AdminChange {
        static let configuration = CommandConfiguration(abstract: "End an operation that nobody has decided yet.")
        @Argument(help: "Its id.") var operation: String
        @Option(help: ArgumentHelp("What phone and service are told; at most 32 characters.", valueName: "text"))
        var statusReason: String?
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let (became, already) = try await session.operationsOperator.cancel(
                operation, reason: statusReason, in: session.executor)
            return became.operatorJSON.adding(already: already)
        }
    }
}

/// Whose: of an account of this IdP, or of a user of a relying service.
struct OperationsPeople: ParsableArguments {
    @Option(help: "Only those of this account, as username or UUID.") var account: String?
    @Option(help: ArgumentHelp("Only those of this user of a relying service.", valueName: "id")) var user: String?

    func validate() throws {
        guard account == nil || user == nil else { throw ValidationError("give --account or --user") }
    }

    /// Owner and user id; `nil` for everybody's.
    func chosen(_ session: AdminSession) async throws -> (owner: String?, userID: String?) {
        guard let id = try await session.accountID(account) else { return (nil, user) }
        return ("house", id.uuidString.lowercased())
    }
}
