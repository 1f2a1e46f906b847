import Base
import Database
import Foundation
import Logging
import Operations
import TestSupport
import Testing
import TokenTree

@testable import PowerAuth

/// The PowerAuth side of the room alone, on a database with a clock that stands still, and phones that speak to it
/// without HTTP.
struct PhoneFixture: Sendable {
    static let bank = OperationsCaller.machine(client: "bank", below: [], actor: AuditActor(name: "client:bank"))
    static let stranger = OperationsCaller.machine(
        client: "stranger", below: [], actor: AuditActor(name: "client:stranger"))
    static let operators = OperationsCaller.administrator(AuditActor(name: "admin:root"))

    let tree: TestTree
    let service: PowerAuthService
    let sdkConfig: String
    var database: Database { tree.database }
    var time: SettableClock { tree.time }

    static func key(_ byte: UInt8) throws -> MasterKey {
        try MasterKey(SecretBytes([UInt8](repeating: byte, count: 32)))
    }

    static func with(
        events: RegistrationEvents = .none, connections: Int = 8, _ body: (PhoneFixture) async throws -> Void
    ) async throws {
        try await TestTree.with(connections: connections) { tree in
            let service = PhoneFixture.service(tree, tree.database, master: try key(1), events: events)
            let application = try await service.addApplication(
                try ApplicationDraft(appID: "bank-app", name: "Bank"), by: bank
            ).application
            try await body(PhoneFixture(tree: tree, service: service, sdkConfig: try #require(application.sdkConfig)))
        }
    }

    static func service(
        _ tree: TestTree, _ database: Database, master: MasterKey, events: RegistrationEvents = .none
    ) -> PowerAuthService {
        let partitions = PartitionKeeper(database: database, clock: tree.time.clock, logger: .quiet)
        return PowerAuthService(
            database: database, master: master, oneTime: OneTimeStore(database: database, partitions: partitions),
            settings: PowerAuthSettings(displayName: "Example", version: "1"), events: events, clock: tree.time.clock,
            randomness: .system,
            logger: .quiet)
    }

    /// Another process on the same database.
    func another(master: MasterKey) -> PhoneFixture {
        PhoneFixture(tree: tree, service: PhoneFixture.service(tree, database, master: master), sdkConfig: sdkConfig)
    }

    /// The way of a phone to this desk.
    var post: PowerAuthPhone.Post {
        let service = self.service
        return { path, headers, body in
            let name = String(path.dropFirst("/pa/v3/".count))
            let request = PowerAuthRequest(
                authorization: headers[SignatureHeader.name], encryption: headers[EncryptionHeader.name], body: body,
                origin: "192.0.2.1")
            let answer =
                path.hasPrefix("/pa/v4/")
                ? try await service.answer(try #require(PowerAuthFourEndpoint(rawValue: name)), request)
                : try await service.answer(try #require(PowerAuthEndpoint(rawValue: name)), request)
            return PowerAuthReply(status: answer.status, json: answer.body)
        }
    }

    func phone(_ system: PowerAuthPhone.System = .ios, config: String? = nil) throws -> PowerAuthPhone {
        try PowerAuthPhone(sdkConfig: config ?? sdkConfig, system: system, clock: time.clock, post: post)
    }

    func start(
        _ user: String = "ada", otp: String? = nil, at moment: OTPValidation? = nil, phase: CommitPhase = .onCommit,
        flags: [String] = [], expires: Date? = nil,
        appID: String? = nil, by caller: OperationsCaller = PhoneFixture.bank
    ) async throws -> StartedRegistration {
        let draft = try PhoneRegistrationDraft(
            userID: user, appID: appID, otp: otp, otpValidation: moment, commitPhase: phase, flags: flags,
            expires: expires)
        return try await service.startRegistration(draft, by: caller)
    }

    /// A phone in use.
    func activated(_ system: PowerAuthPhone.System = .ios, user: String = "ada") async throws -> PowerAuthPhone {
        var phone = try self.phone(system)
        try await phone.activate(try await start(user, phase: .onKeyExchange).qrText)
        return phone
    }

    func state(_ phone: PowerAuthPhone) async throws -> ActivationState { try await registration(phone).state }

    func registration(_ phone: PowerAuthPhone) async throws -> PhoneRegistration {
        try await service.registration(phone.activationID, for: PhoneFixture.bank)
    }

    /// The steps that the audit names as refusing this phone, in order.
    func refusedSteps(_ phone: PowerAuthPhone) async throws -> [String] {
        try await refusedSteps(ofRegistration: phone.activationID)
    }

    func refusedSteps(ofRegistration id: String) async throws -> [String] {
        try await database.query(
            """
            select detail->>'step' as step from audit where node = \("registration:\(id)")
                and outcome = 'refused' and detail ? 'step' order by id
            """
        ).map { try $0("step") as String }
    }
}

/// What went wrong for the phone: status and code.
func refusal(_ body: () async throws -> Void) async -> PowerAuthPhoneError? {
    do {
        try await body()
        return nil
    } catch { return error as? PowerAuthPhoneError }
}

/// What the back office was refused.
func backOfficeRefusal(_ body: () async throws -> Void) async -> String? {
    do {
        try await body()
        return nil
    } catch { return (error as? BackOfficeRefusal)?.code }
}

extension PowerAuthReply {
    /// 401 of `/pa`.
    var isUnauthenticated: Bool { status == 401 && code == "ERR_AUTHENTICATION" }
    func isRefused(_ wanted: String) -> Bool { status == 400 && code == wanted }
}
