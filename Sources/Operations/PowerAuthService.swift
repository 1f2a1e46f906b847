import Base
import Database
import Foundation
import Logging
import PowerAuth
import TokenTree

/// What the phone is told of this server (protocols/operations.md, 4.3).
public struct PowerAuthSettings: Sendable {
    public let displayName: String
    public let version: String

    public init(displayName: String, version: String) { (self.displayName, self.version) = (displayName, version) }
}

/// The endpoints below `/pa/v3/`.
public enum PowerAuthEndpoint: String, Sendable, CaseIterable {
    case status
    case temporaryKey = "keystore/create"
    case activationCreate = "activation/create"
    case activationStatus = "activation/status"
    case activationRemove = "activation/remove"
    case tokenCreate = "token/create"
    case tokenRemove = "token/remove"
    case vaultUnlock = "vault/unlock"
    case signatureValidate = "signature/validate"
    case userInfo = "user/info"
    case upgradeStart = "upgrade/start"
    case upgradeCommit = "upgrade/commit"
    case recoveryConfirm = "recovery/confirm"
}

/// The endpoints below `/pa/v4/`.
public enum PowerAuthFourEndpoint: String, Sendable, CaseIterable {
    case status
    case temporaryKey = "keystore/create"
    case activationCreate = "activation/create"
    case activationConfirm = "activation/confirm"
    case activationStatus = "activation/status"
    case activationRemove = "activation/remove"
    case tokenCreate = "token/create"
    case tokenRemove = "token/remove"
    case vaultUnlock = "vault/unlock"
    case authenticationValidate = "auth/validate"
    case passwordChange = "password/change"
    case biometryAdd = "biometry/add"
    case biometryRemove = "biometry/remove"
    case userInfo = "user/info"
    case upgradeStart = "upgrade/start"
    case upgradeConfirm = "upgrade/confirm"
}

/// The door of the PowerAuth side: what `/pa` and the back office of applications and registrations call. Phones get an
/// answer whatever they send; the back office is refused by `BackOfficeRefusal`. A database that does not answer throws
/// `DatabaseError` on both sides, so that it is 503 and never a refusal.
///
/// Beside it a process runs `tidy()` now and then. Replays are kept in `oneTime`.
public struct PowerAuthService: Sendable {
    let parts: PowerAuthServices
    private let settings: PowerAuthSettings
    private let registrations: RegistrationService

    /// `events` is told of each change of a registration, within its transaction.
    public init(
        database: Database, master: MasterKey, oneTime: OneTimeStore, settings: PowerAuthSettings,
        events: RegistrationEvents = .none, clock: WallClock,
        randomness: Randomness, logger: Logger
    ) {
        self.settings = settings
        parts = PowerAuthServices(
            database: database, master: master, oneTime: oneTime, events: events, clock: clock, randomness: randomness,
            logger: logger)
        registrations = RegistrationService(parts: parts)
    }

    // MARK: The phone's side

    /// Never throws for what a phone sent.
    public func answer(_ endpoint: PowerAuthEndpoint, _ request: PowerAuthRequest) async throws -> PowerAuthAnswer {
        try await answering(request) { try await serve(endpoint, request) }
    }

    /// As above, in protocol 4.
    public func answer(
        _ endpoint: PowerAuthFourEndpoint, _ request: PowerAuthRequest
    ) async throws -> PowerAuthAnswer {
        try await answering(request) { try await serve(endpoint, request) }
    }

    private func answering(
        _ request: PowerAuthRequest, _ serve: () async throws -> PowerAuthAnswer
    ) async throws -> PowerAuthAnswer {
        do { return try await serve() } catch let refusal as PhoneRefusal {
            if !refusal.isWritten {
                try await parts.trail.write(
                    refusal.step, of: refusal.subject, refusal.about, origin: request.origin, in: parts.database)
            }
            return refusal.error.answer
        } catch let refusal as TemporaryKeyRateLimit.Exceeded {
            return .tooMany(.temporaryKey, seconds: refusal.seconds)
        }
    }

    private func serve(_ endpoint: PowerAuthEndpoint, _ request: PowerAuthRequest) async throws -> PowerAuthAnswer {
        switch endpoint {
        case .status: return status()
        case .temporaryKey: return try await GiveTemporaryKey(parts: parts).answer(request)
        case .activationCreate: return try await ActivatePhone(parts: parts).answer(request)
        case .activationStatus: return try await TellStatus(parts: parts).answer(request)
        case .activationRemove:
            return try await SignedActions(parts: parts, registrations: registrations).removeActivation(request)
        case .tokenCreate:
            return try await SignedActions(parts: parts, registrations: registrations).createToken(request)
        case .tokenRemove:
            return try await SignedActions(parts: parts, registrations: registrations).removeToken(request)
        case .vaultUnlock:
            return try await SignedActions(parts: parts, registrations: registrations).unlockVault(request)
        case .signatureValidate:
            return try await SignedActions(parts: parts, registrations: registrations).validate(request)
        case .userInfo: return try await TellUser(parts: parts).answer(request)
        case .upgradeStart, .upgradeCommit: return PowerAuthError.upgrade.answer
        case .recoveryConfirm: return PowerAuthError.recovery.answer
        }
    }

    private func serve(_ endpoint: PowerAuthFourEndpoint, _ request: PowerAuthRequest) async throws -> PowerAuthAnswer {
        let signed = SignedActionsFour(parts: parts, registrations: registrations)
        switch endpoint {
        case .status: return status()
        case .temporaryKey: return try await GiveTemporarySecret(parts: parts).answer(request)
        case .activationCreate: return try await ActivateFour(parts: parts).answer(request)
        case .activationConfirm: return try await signed.confirm(request)
        case .activationStatus: return try await TellStatusFour(parts: parts).status(request)
        case .activationRemove: return try await signed.removeActivation(request)
        case .tokenCreate: return try await signed.createToken(request)
        case .tokenRemove: return try await signed.removeToken(request)
        case .vaultUnlock: return try await signed.unlockVault(request)
        case .authenticationValidate: return try await signed.validate(request)
        case .passwordChange: return try await ChangeFactors(parts: parts).changePassword(request)
        case .biometryAdd: return try await ChangeFactors(parts: parts).addBiometry(request)
        case .biometryRemove: return try await ChangeFactors(parts: parts).removeBiometry(request)
        case .userInfo: return try await TellStatusFour(parts: parts).user(request)
        case .upgradeStart: return try await UpgradePhone(parts: parts).start(request)
        case .upgradeConfirm: return try await UpgradePhone(parts: parts).confirm(request)
        }
    }

    private func status() -> PowerAuthAnswer {
        .ok([
            "serverTime": .integer(Int(Milliseconds.of(parts.clock.now()))), "version": .string(settings.version),
            "application": ["name": "pando", "displayName": .string(settings.displayName), "environment": ""],
        ])
    }

    // MARK: Applications

    /// The application, and whether it is new: 201 or 200.
    public func addApplication(
        _ draft: ApplicationDraft, by caller: OperationsCaller
    ) async throws -> (application: ApplicationView, isNew: Bool) {
        try caller.notAnApp()
        let owner = try caller.beginner()
        return try await parts.database.atomically { transaction in
            let (application, isNew) = try await parts.applications.add(
                draft, for: owner, by: caller.actor, in: transaction)
            return (try await view(application, in: transaction), isNew)
        }
    }

    public func applications(for caller: OperationsCaller) async throws -> [ApplicationView] {
        try caller.notAnApp()
        var views: [ApplicationView] = []
        for application in try await parts.applications.all(for: caller, in: parts.database) {
            views.append(try await view(application, in: parts.database))
        }
        return views
    }

    public func application(_ appID: String, for caller: OperationsCaller) async throws -> ApplicationView {
        try caller.notAnApp()
        return try await view(
            try await parts.applications.chosen(appID, for: caller, in: parts.database), in: parts.database)
    }

    /// `pando`, the one that app callers register phones for: what its SDK is configured with.
    public func idpApplication() async throws -> ApplicationView {
        try await view(try await parts.applications.ofIdentityProvider(in: parts.database), in: parts.database)
    }

    public func addVersion(of appID: String, by caller: OperationsCaller) async throws -> ApplicationView {
        try caller.notAnApp()
        return try await parts.database.atomically { transaction in
            try await view(
                try await parts.applications.addVersion(of: appID, by: caller, in: transaction), in: transaction)
        }
    }

    public func setSupported(
        _ isSupported: Bool, version applicationKey: String, of appID: String, by caller: OperationsCaller
    ) async throws -> ApplicationView {
        try caller.notAnApp()
        return try await parts.database.atomically { transaction in
            let application = try await parts.applications.setSupported(
                isSupported, version: applicationKey, of: appID, by: caller, in: transaction)
            return try await view(application, in: transaction)
        }
    }

    /// Which protocols and algorithms its phones may speak.
    public func choose(
        _ choice: ProtocolChoice, of appID: String, by caller: OperationsCaller
    ) async throws -> ApplicationView {
        try caller.notAnApp()
        return try await parts.database.atomically { transaction in
            let application = try await parts.applications.chosen(appID, for: caller, in: transaction)
            return try await view(
                try await parts.applications.choose(choice, of: application, by: caller.actor, in: transaction),
                in: transaction)
        }
    }

    /// As `choose`, in a transaction of the caller's; without `appID` of the server's own application.
    func choose(
        _ choice: ProtocolChoice, of appID: String?, by caller: OperationsCaller, in transaction: any SQLExecutor
    ) async throws -> (view: ApplicationView, already: Bool) {
        let application =
            if let appID { try await parts.applications.chosen(appID, for: caller, in: transaction) } else {
                try await parts.applications.ofIdentityProvider(in: transaction)
            }
        let already = application.choice == choice
        let changed = try await parts.applications.choose(choice, of: application, by: caller.actor, in: transaction)
        return (try await view(changed, in: transaction), already)
    }

    func view(_ application: PhoneApplication, in executor: any SQLExecutor) async throws -> ApplicationView {
        let versions = try await parts.applications.versions(of: application, in: executor)
        let four =
            application.choice.takes(.four)
            ? try await parts.applications.keys.published(of: application, in: executor) : []
        let config = try versions.first { $0.isSupported }.map { version in
            try SDKConfiguration(
                applicationKey: Base64Text.decode(version.applicationKey) ?? [], applicationSecret: version.secret,
                masterPublicKey: application.masterPublicKey, hybridKeys: four
            ).text
        }
        return ApplicationView(application: application, sdkConfig: config, versions: versions)
    }

    // MARK: Registrations

    public func startRegistration(
        _ draft: PhoneRegistrationDraft, by caller: OperationsCaller
    ) async throws -> StartedRegistration {
        try await parts.database.atomically { transaction in
            try await registrations.start(draft, by: caller, in: transaction)
        }
    }

    public func registration(_ id: String, for caller: OperationsCaller) async throws -> PhoneRegistration {
        try await parts.registrations.find(id, for: caller, in: parts.database)
    }

    /// The newest first, a hundred at a time; `after` is the `next` of the page before. An app may leave the user id
    /// out.
    public func registrations(
        userID: String?, after: String? = nil, for caller: OperationsCaller
    ) async throws -> RegistrationPage {
        guard let user = try caller.user(userID) else { throw BackOfficeRefusal.request("userId is missing") }
        return try await parts.registrations.list(user: user, after: after, for: caller, in: parts.database)
    }

    public func commit(
        _ id: String, _ commit: RegistrationCommit, by caller: OperationsCaller
    ) async throws -> PhoneRegistration {
        try await parts.database.settling { transaction in
            try await registrations.commit(id, commit, by: caller, in: transaction)
        }
    }

    /// DELETE is `.remove`.
    public func change(
        _ id: String, _ change: RegistrationChange, by caller: OperationsCaller
    ) async throws -> PhoneRegistration {
        try await parts.database.atomically { transaction in
            try await registrations.change(id, change, by: caller, in: transaction)
        }
    }

    // MARK: Operating

    /// Seals every secret of the PowerAuth side under `successor`, in `executor`'s transaction; how many.
    public func reseal(under successor: MasterKey, in executor: any SQLExecutor) async throws -> Int {
        try await parts.vault.reseal(under: successor, in: executor)
    }

    /// Writes down what is over and deletes what nobody asks for any more.
    public func tidy() async throws { try await PowerAuthTidying(parts: parts).tidy() }
}
