import ArgumentParser
import Base
import Foundation
import Keys

/// `keys …`: signing keys.
struct KeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "keys", abstract: "Signing keys.", subcommands: [List.self, Rotate.self])

    struct List: AdminQuery {
        static let configuration = CommandConfiguration(abstract: "List signing keys.")
        @OptionGroup var list: ListOptions
        @OptionGroup var common: AdminOptions

        func answer(_ session: AdminSession) async throws -> AdminResult {
            .list(try await SigningKeys.list(session.executor).filter { $0.status != .retired }.map {
                ["kid": .string($0.kid), "alg": .string($0.alg), "status": .string($0.status.rawValue), "created_at": .string($0.createdAt.rfc3339),
                 "not_before": .string($0.notBefore.rfc3339)]
            }, next: nil)
        }
    }

    struct Rotate: AdminChange {
        static let configuration = CommandConfiguration(abstract: "Sign with the next key from now on.")
        @Flag(help: "Skip the announcement time of the next key.") var now = false
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions

        func perform(_ session: AdminSession) async throws -> JSONObject {
            do {
                let rotation = try await session.composition.keys.rotate(now: now, session.executor)
                try await session.audit("keys.rotate")
                return ["active": .string(rotation.active.first ?? ""), "next": .string(rotation.next.first ?? ""), "retiring": JSONValue(strings: rotation.retiring)]
            } catch let failure as SigningKeys.Failure {
                throw AdminFailure(.conflict, failure.description)
            }
        }
    }
}
