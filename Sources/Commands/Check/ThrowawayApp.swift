import Accounts
import Administration
import Base
import Database
import Foundation
import HTTP
import Keys
import OAuth
import PandoClient
import Registration
import Server
import TokenTree

/// An app's version and a person that live as long as one check of a service. Both say what they are for.
struct ThrowawayApp: Sendable {
    static let app = "pando.check"
    private static let name = "Check of services"
    /// A check that was killed leaves its version and person behind; the next one ends what is older.
    private static let age: TimeInterval = 3_600

    let version: PandoClient.AppVersion
    let username: String
    let password: String

    private static func username(of version: String) -> String { "pando-check-\(version)" }

    /// With a person of its own.
    static func make(_ session: AdminSession) async throws -> ThrowawayApp {
        let made = ThrowawayApp(
            version: PandoClient.AppVersion(
                app: app, version: session.randomness.identifier(), key: SigningKey()),
            password: session.randomness.identifier())
        let hash = try await session.composition.hasher.hash(made.password)
        try await session.database.atomically { transaction in
            try await made.enter(session, in: transaction)
            let change = AccountChange(name: name)
            _ = try await AccountStore(clock: session.clock)
                .create(username: made.username, password: hash, change: change, in: transaction)
        }
        return made
    }

    /// For a person who is there already.
    static func make(as username: String, password: String, _ session: AdminSession) async throws -> ThrowawayApp {
        let made = ThrowawayApp(
            version: PandoClient.AppVersion(
                app: app, version: session.randomness.identifier(), key: SigningKey()),
            username: username, password: password)
        try await session.database.atomically { try await made.enter(session, in: $0) }
        return made
    }

    private init(version: PandoClient.AppVersion, username: String? = nil, password: String) {
        (self.version, self.password) = (version, password)
        self.username = username ?? ThrowawayApp.username(of: version.version)
    }

    private func enter(_ session: AdminSession, in transaction: any SQLExecutor) async throws {
        let apps = AppStore(clock: session.clock), jwk = try JSONReader.read(try version.key.jwk.bytes())
        if let known = try await apps.app(ThrowawayApp.app, in: transaction) {
            guard known.status == .allowed else {
                throw AdminFailure(
                    .conflict, "the app \(ThrowawayApp.app), by which services are checked, is refused",
                    hint: "pando admin apps allow \(ThrowawayApp.app)")
            }
        } else {
            _ = try await apps.create(app: ThrowawayApp.app, name: ThrowawayApp.name, in: transaction)
        }
        _ = try await apps.add(
            version: version.version, to: ThrowawayApp.app, key: JSONWebKey(jwk), in: transaction)
    }

    /// The version is refused and all below it ends; the person, where it was made for the check, is removed.
    func end(_ session: AdminSession) async throws { try await ThrowawayApp.end(version.version, session) }

    /// What checks left that could not end it themselves.
    static func endLeftovers(_ session: AdminSession) async throws {
        let apps = AppStore(clock: session.clock), oldest = session.now.addingTimeInterval(-age)
        var cursor: Int64?
        while true {
            let page = try await apps.versions(of: app, after: cursor, limit: 100, in: session.database)
            for left in page where left.status == .allowed && left.createdAt < oldest {
                try await end(left.version, session)
            }
            guard page.count == 100, let last = page.last else { return }
            cursor = last.ordinal
        }
    }

    private static func end(_ version: String, _ session: AdminSession) async throws {
        let deletions = Product.all.compactMap(\.administration.accountDeletion)
        let removal = AccountRemoval(
            revocation: session.revocation, parts: deletions.map(AccountRemoval.Part.init), clock: session.clock)
        let id = "\(app).\(version)"
        try await session.database.atomically { transaction in
            // Status first, then the revocation: Registration/Doc.swift tells why.
            _ = try await AppStore(clock: session.clock).setStatus(id, .refused, in: transaction)
            _ = try await session.revocation.revoke(
                .virtual(Ancestor(.version, id)), by: session.actor, in: transaction)
            let accounts = AccountStore(clock: session.clock)
            if let person = try await accounts.find(username(of: version), in: transaction) {
                _ = try await removal.remove(person.id, by: session.actor, in: transaction)
            }
        }
    }
}
