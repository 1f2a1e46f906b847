import Administration
import ArgumentParser
import Base
import Federation
import Foundation

/// `events dead …`: events that nobody took in time, or that their receiver called wrong.
struct EventsDeadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dead", abstract: "Events that were given up.",
        subcommands: [List.self, Retry.self, Drop.self])

    struct List: AdminQuery {
        static let configuration = CommandConfiguration(abstract: "Dead letters of a service, with why.")
        @Argument(help: "Id or base URL.") var service: String
        @OptionGroup var list: ListOptions
        @OptionGroup var common: AdminOptions

        func answer(_ session: AdminSession) async throws -> AdminResult {
            let id = try await ServicesCommand.find(service, session).id
            guard let after = Int(list.after ?? "0") else {
                throw AdminFailure(.invalid, "--after takes what `next` gave")
            }
            let found = try await DeadEvents.list(id, after: after, limit: list.limit + 1, in: session.executor)
            return .page(found, limit: list.limit, cursor: { "\($0["seq"]?.integer ?? 0)" }, json: { .object($0) })
        }
    }

    struct Retry: AdminChange {
        static let configuration = CommandConfiguration(
            abstract: "Send one again, or all; patience with it begins anew.")
        @Argument(help: "Id or base URL.") var service: String
        @Argument(help: "The event's jti; all by default.") var jti: String?
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let id = try await ServicesCommand.find(service, session).id
            let done = try await DeadEvents.retry(id, jti: jti, at: session.now, in: session.executor)
            return try await EventsDeadCommand.result("retry", id, jti, done, session)
        }
    }

    struct Drop: AdminChange {
        static let configuration = CommandConfiguration(
            abstract: "Forget one, or all: the service will not hear of it.")
        @Argument(help: "Id or base URL.") var service: String
        @Argument(help: "The event's jti; all by default.") var jti: String?
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions
        var question: String? { "Forget \(jti ?? "every event that was given up"), of which \(service) never heard?" }

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let id = try await ServicesCommand.find(service, session).id
            let done = try await DeadEvents.drop(id, jti: jti, in: session.executor)
            return try await EventsDeadCommand.result("drop", id, jti, done, session)
        }
    }

    private static func result(
        _ what: String, _ service: String, _ jti: String?, _ done: [String], _ session: AdminSession
    ) async throws -> JSONObject {
        if let jti, done.isEmpty { throw AdminFailure(.notFound, "\(service) has no dead event \(jti)") }
        try await session.audit("events.dead.\(what)", node: "service:\(service)")
        return ["service": .string(service), "events": JSONValue(strings: done)]
    }
}
