import Accounts
import Administration
import ArgumentParser
import Base
import Federation
import Foundation
import OAuth
import Registration
import TokenTree

extension AccountsCommand {
    struct Refuse: AdminChange {
        static let configuration = CommandConfiguration(
            abstract: "Keep a person out of one service, and end what they have there.")
        @Argument(help: "Username or UUID.") var account: String
        @Option(help: "Id or base URL.") var service: String
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions
        var question: String? { "Keep \(account) out of \(service), and end what they have there?" }

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let (known, place) = (try await session.account(account), try await session.place(service))
            let isNew = try await session.refusing.refuse(
                known.id, at: place.id, by: session.actor, in: session.executor)
            let revoked = try await RevocationReport.revoke(.virtual(.use(known.id, at: place.id)), session)
            try await session.audit(
                "accounts.refuse", node: Ancestor.use(known.id, at: place.id).label, account: known.id)
            return [
                "account": .string(known.id.uuidString.lowercased()), "service": .string(place.id),
                "status": "refused", "already": .bool(!isNew), "revoked": revoked,
            ]
        }
    }

    struct Allow: AdminChange {
        static let configuration = CommandConfiguration(
            abstract: "Let a person use a service again; what was ended stays so.")
        @Argument(help: "Username or UUID.") var account: String
        @Option(help: "Id or base URL.") var service: String
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let (known, place) = (try await session.account(account), try await session.place(service))
            let wasRefused = try await session.refusing.allow(known.id, at: place.id, in: session.executor)
            try await session.audit(
                "accounts.allow", node: Ancestor.use(known.id, at: place.id).label, account: known.id)
            return [
                "account": .string(known.id.uuidString.lowercased()), "service": .string(place.id),
                "status": "allowed", "already": .bool(!wasRefused),
            ]
        }
    }
}

extension InstancesCommand {
    struct Refuse: AdminChange {
        static let configuration = CommandConfiguration(
            abstract: "Keep a phone out of one service, also as another instance, and end what it has there.")
        @Argument(help: "client_id.") var id: String
        @Option(help: "Id or base URL.") var service: String
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions
        var question: String? { "Keep the phone of \(id) out of \(service), and end what it has there?" }

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let instance = try await InstancesCommand.find(id, session), place = try await session.place(service)
            let (isNew, ended) = try await session.refusing.refuse(
                instance, at: place.id, by: session.actor, in: session.executor)
            try await session.auditPhone("instances.refuse", instance.id, at: place)
            return [
                "instance": .string(instance.id), "service": .string(place.id), "status": "refused",
                "already": .bool(!isNew),
                "revoked": [
                    "tokens": .integer(ended),
                    "services": ended == 0 ? [] : [["id": .string(place.id), "tokens": .integer(ended)]],
                ],
            ]
        }
    }

    struct Allow: AdminChange {
        static let configuration = CommandConfiguration(
            abstract: "Let a phone use a service again; what was ended stays so.")
        @Argument(help: "client_id.") var id: String
        @Option(help: "Id or base URL.") var service: String
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let place = try await session.place(service), wasRefused: Bool
            if let instance = try await InstanceStore(clock: session.clock).find(id, in: session.executor) {
                wasRefused = try await session.refusing.allow(instance, at: place.id, in: session.executor)
            } else {
                wasRefused = try await session.refusing.allow(gone: id, at: place.id, in: session.executor)
                // Nobody is kept out by that name.
                guard wasRefused else { throw AdminFailure.missing(.instance, id) }
            }
            try await session.auditPhone("instances.allow", id, at: place)
            return [
                "instance": .string(id), "service": .string(place.id), "status": "allowed",
                "already": .bool(!wasRefused),
            ]
        }
    }
}

extension AdminSession {
    fileprivate var refusing: RefuseAtService { RefuseAtService(revocation: revocation, clock: clock) }

    /// A service that can be used, or could.
    fileprivate func place(_ name: String) async throws -> FederationService {
        let service = try await ServicesCommand.find(name, self)
        guard service.status != .removed else { throw AdminFailure(.conflict, "\(service.id) was removed") }
        return service
    }

    fileprivate func auditPhone(_ action: String, _ instance: String, at service: FederationService) async throws {
        let entry = AuditEntry(
            actor: actor, action: action, node: "instance:\(instance)", detail: ["service": .string(service.id)])
        try await AuditTrail.write(entry, at: now, in: executor)
    }
}
