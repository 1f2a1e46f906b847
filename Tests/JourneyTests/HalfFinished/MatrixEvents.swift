import Accounts
import Base
import Database
import Federation
import Foundation
import Liquid
import OAuth
import Operations
import Passkeys
import Registration
import TestSupport
import Testing
import Tiqr
import TokenTree
import Vocabulary

extension EndingEvent {
    private static let operatorActor = AuditActor(name: "admin:root", reason: "matrix")
    /// In the person's own words, so that none of them is the old one.
    private static let newPassword = "another battery, another staple"

    /// Lets it happen to the person, the client, the app or the service of the scene, as their own pages and the
    /// commands of operators do.
    func happen(in scene: MatrixScene) async throws {
        switch self {
        case .consentWithdrawn: try await withdraw(scene)
        case .passwordChanged, .passwordReset: try await changePassword(scene)
        case .accountSuspended, .accountResumed: try await suspend(scene)
        case .accountDeleted: try await deleteAccount(scene)
        case .sessionEnded: try await revoke(Ancestor(.session, try await scene.session()), scene)
        case .clientDeleted: try await deleteClient(scene)
        case .clientRekeyed, .scopesNarrowed, .redirectsNarrowed: try await changeClient(scene)
        case .factorRemoved: try await removeFactor(scene)
        case .versionRefused: try await refuseVersion(scene)
        case .serviceSuspended: try await Self.move(.suspended, scene)
        case .epochBumped: try await bump(scene)
        }
        // Built-in services hear of an end as others do.
        try await scene.server.sendEvents()
    }

    /// What is not the scene's own is as it was.
    func restore(_ scene: MatrixScene) async throws {
        if self == .serviceSuspended { try await Self.move(.active, scene) }
    }

    // MARK: The person

    private func withdraw(_ scene: MatrixScene) async throws {
        let client = try await scene.client(), owner = try await scene.server.browserContext(as: scene.account)
        let session = try #require(owner.session)
        do {
            try await scene.server.web.account.withdraw(client.id, session, owner)
        } catch let refusal as OAuthError where refusal.code == .notFound {
            // Nothing was agreed to yet: the page has no button for it.
        }
    }

    private func changePassword(_ scene: MatrixScene) async throws {
        let server = scene.server, account = scene.account
        if self == .passwordChanged {
            let owner = try await server.browserContext(as: account), session = try #require(owner.session)
            try await server.web.account.changePassword(
                current: Residents.password, to: Self.newPassword, session, owner)
        } else {
            let hash = try await server.parts.hasher.hash(Self.newPassword)
            let change = ChangePassword(
                store: server.parts.store, revocation: server.parts.revocation, clock: server.time.clock)
            try await server.database.atomically { transaction in
                _ = try await change.reset(hash, of: account.id, by: Self.operatorActor, in: transaction)
            }
        }
        await scene.nowHas(password: Self.newPassword)
    }

    private func suspend(_ scene: MatrixScene) async throws {
        let server = scene.server, account = scene.account, accounts = AccountStore(clock: server.time.clock)
        try await server.database.atomically { transaction in
            _ = try await accounts.setStatus(account.id, .suspended, in: transaction)
            _ = try await server.parts.revocation.revoke(
                .virtual(Self.node(account)), by: Self.operatorActor, in: transaction)
        }
        guard self == .accountResumed else { return }
        _ = try await accounts.setStatus(account.id, .active, in: server.database)
    }

    private func deleteAccount(_ scene: MatrixScene) async throws {
        let server = scene.server, account = scene.account, now = server.time.now
        try await server.database.atomically { transaction in
            _ = try await server.parts.revocation.revoke(
                .virtual(Self.node(account)), by: Self.operatorActor, in: transaction)
            _ = try await TiqrLogin.removeAll(of: account.id, actor: Self.operatorActor, at: now, in: transaction)
            _ = try await ApprovalLogin.removeAll(of: account.id, actor: Self.operatorActor, at: now, in: transaction)
            _ = try await PasskeyLogin.removeAll(of: account.id, actor: Self.operatorActor, at: now, in: transaction)
            try await AccountStore(clock: server.time.clock).delete(account.id, in: transaction)
        }
    }

    private func removeFactor(_ scene: MatrixScene) async throws {
        if let removal = await scene.removal { return try await removal() }
        let phone = try await scene.identity().name,
            fixture = TiqrAdministration(
                scene.server.parts.tiqr, scene.server.parts.revocation, actor: Self.operatorActor)
        try await scene.server.database.atomically { transaction in _ = try await fixture.remove(phone, in: transaction)
        }
    }

    private static func node(_ account: Account) -> Ancestor { Ancestor(.account, account.id.uuidString.lowercased()) }

    private func revoke(_ ancestor: Ancestor, _ scene: MatrixScene) async throws {
        try await scene.server.parts.revocation.revoke(.virtual(ancestor), by: Self.operatorActor)
    }

    // MARK: The client

    private func deleteClient(_ scene: MatrixScene) async throws {
        let id = try await scene.client().id, server = scene.server
        let clients = WebClientStore(clock: server.time.clock, randomness: .system)
        try await server.database.atomically { transaction in
            _ = try await clients.delete(id, in: transaction)
            _ = try await server.parts.revocation.revoke(
                .virtual(Ancestor(.client, id)), by: Self.operatorActor, in: transaction)
        }
    }

    /// As a client replaces its registration (RFC 7592, 2.2).
    private func changeClient(_ scene: MatrixScene) async throws {
        let id = try await scene.client().id, server = scene.server, key = PhoneKey()
        let clients = WebClientStore(clock: server.time.clock, randomness: .system)
        try await server.database.atomically { transaction in
            let current = try #require(try await clients.find(id, in: transaction))
            var draft = WebClientDraft(
                name: current.name, authMethod: current.authMethod, redirectURIs: current.redirectURIs,
                grantTypes: current.grantTypes, scope: current.scope)
            switch self {
            case .clientRekeyed:
                (draft.authMethod, draft.jwks) = (.privateKeyJWT, .object(["keys": [key.jwk(kid: "new")]]))
            // That of a machine goes as well.
            case .scopesNarrowed: draft.scope = current.redirectURIs.isEmpty ? "other" : "openid"
            default: draft.redirectURIs = current.redirectURIs.isEmpty ? [] : ["https://rp.example.org/elsewhere"]
            }
            _ = try await clients.update(current, to: draft, in: transaction)
        }
        if self == .clientRekeyed { await scene.nowHas(key: key) }
    }

    // MARK: Versions, services, all

    private func refuseVersion(_ scene: MatrixScene) async throws {
        let id = try await scene.version(), server = scene.server, apps = AppStore(clock: server.time.clock)
        try await server.database.atomically { transaction in
            _ = try await apps.setStatus(id, .refused, in: transaction)
            _ = try await server.parts.revocation.revoke(
                .virtual(Ancestor(.version, id)), by: Self.operatorActor, in: transaction)
        }
    }

    /// Each that is in the index.
    private static func move(_ status: FederationService.Status, _ scene: MatrixScene) async throws {
        let index = ServiceIndex(clock: scene.server.time.clock), database = scene.server.database
        for id in ["learn", "tiqr", "operations"] where try await index.find(id, in: database) != nil {
            _ = try await index.move(id, to: status, in: database)
        }
    }

    private func bump(_ scene: MatrixScene) async throws {
        let parts = scene.server.parts, now = scene.server.time.now
        try await scene.server.database.atomically { transaction in
            _ = try await Epoch.bump(by: Self.operatorActor, revocation: parts.revocation, at: now, in: transaction)
        }
    }
}
