import Accounts
import Administration
import ArgumentParser
import Base
import Foundation
import Registration
import TokenTree

/// `instances …`: installed apps.
struct InstancesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "instances", abstract: "App instances.",
        subcommands: [List.self, Show.self, Revoke.self, Block.self, Unblock.self, Refuse.self, Allow.self])

    struct List: AdminQuery {
        static let configuration = CommandConfiguration(abstract: "List instances, newest first.")
        @Option(help: "Username or UUID.") var account: String?
        @Option var app: String?
        @Option var version: String?
        @Option(help: "live, revoked or blocked.") var status: String?
        @OptionGroup var institution: InstitutionListOption
        @OptionGroup var list: ListOptions
        @OptionGroup var common: AdminOptions

        func validate() throws {
            guard status.map({ ["live", "revoked", "blocked"].contains($0) }) ?? true else {
                throw ValidationError("--status takes live, revoked or blocked")
            }
        }

        func answer(_ session: AdminSession) async throws -> AdminResult {
            let owner = try await session.accountID(account)
            var filter = InstanceFilter(
                account: owner, app: app, version: version, status: status, after: list.after, limit: list.limit + 1)
            filter.institution = institution.filter(session)
            let found = try await InstanceStore(clock: session.clock).list(filter, in: session.executor)
            return .page(found, limit: list.limit, cursor: \.id, json: \.json)
        }
    }

    struct Show: AdminQuery {
        static let configuration = CommandConfiguration(abstract: "Show an instance.")
        @Argument(help: "client_id.") var id: String
        @OptionGroup var common: AdminOptions

        func answer(_ session: AdminSession) async throws -> AdminResult {
            .object(try await InstancesCommand.find(id, session).json.object ?? [:])
        }
    }

    struct Revoke: AdminChange {
        static let configuration = CommandConfiguration(abstract: "End an instance; its device may register again.")
        @Argument(help: "client_id.") var id: String
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions
        var question: String? { "End the instance \(id) and all its tokens?" }

        func perform(_ session: AdminSession) async throws -> JSONObject {
            _ = try await InstancesCommand.find(id, session)
            return try await InstancesCommand.ended(id, session)
        }
    }

    struct Block: AdminChange {
        static let configuration = CommandConfiguration(
            abstract: "End an instance and keep its device and key from registering again.")
        @Argument(help: "client_id.") var id: String
        @Option(help: "device or key: block only that.") var only: String?
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions
        var question: String? { "End the instance \(id) and keep its device out?" }

        func validate() throws {
            guard only.map({ BlockStore.Kind(rawValue: $0) != nil }) ?? true else {
                throw ValidationError("--only takes device or key")
            }
        }

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let instance = try await InstancesCommand.find(id, session)
            let isNew = try await BlockStore(clock: session.clock).block(
                instance, only: only.flatMap { BlockStore.Kind(rawValue: $0) }, by: session.actor, in: session.executor)
            var result = try await InstancesCommand.ended(id, session)
            // Others on the same device or with the same key are kept out by the same words.
            let others = try await InstanceStore(clock: session.clock).holders(
                device: only == "key" ? nil : instance.deviceID, key: only == "device" ? nil : instance.thumbprint,
                in: session.executor)
            for other in others {
                try await session.revocation.revoke(
                    .virtual(Ancestor(.instance, other)), by: session.actor, in: session.executor)
            }
            result["already"] = .bool(!isNew)
            try await session.audit("instances.block", node: "instance:\(id)")
            return result
        }
    }

    struct Unblock: AdminChange {
        static let configuration = CommandConfiguration(abstract: "Let a blocked device and key register again.")
        @Argument(help: "client_id.") var id: String
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let blocks = BlockStore(clock: session.clock)
            guard let instance = try await InstanceStore(clock: session.clock).find(id, in: session.executor) else {
                // Its app may have been deleted, which lets nobody in again.
                guard try await blocks.unblock(forgotten: id, in: session.executor) else {
                    throw AdminFailure(.notFound, "there is no instance \(id), and nothing is blocked for it")
                }
                try await session.audit("instances.unblock", node: "instance:\(id)")
                return ["id": .string(id), "already": false]
            }
            let lifted = try await blocks.unblock(instance, in: session.executor)
            try await session.audit("instances.unblock", node: "instance:\(id)")
            var result = try await InstancesCommand.find(id, session).json.object ?? [:]
            result["already"] = .bool(!lifted)
            return result
        }
    }

    static func find(_ id: String, _ session: AdminSession) async throws -> AppInstance {
        guard let instance = try await InstanceStore(clock: session.clock).find(id, in: session.executor) else {
            throw AdminFailure(.notFound, "there is no instance \(id)")
        }
        return instance
    }

    private static func ended(_ id: String, _ session: AdminSession) async throws -> JSONObject {
        let revoked = try await RevocationReport.revoke(.virtual(Ancestor(.instance, id)), session)
        var result = try await find(id, session).json.object ?? [:]
        result["revoked"] = revoked
        return result
    }
}
