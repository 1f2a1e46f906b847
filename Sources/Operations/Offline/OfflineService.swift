import Base
import Database
import Foundation
import PowerAuth
import TokenTree

/// Approving without a network: the back office shows a code, the phone signs it, a person types what the phone shows
/// (protocols/operations.md, 2.4).
struct OfflineService: Sendable {
    /// Of one operation; the oldest makes room.
    static let mostCodes = 100

    let database: Database
    let decisions: Decisions
    let registrations: RegistrationStore
    let applications: ApplicationStore
    let keys: RegistrationKeys
    let signatures: SignatureCheck
    let changes: ChangeBoard
    let clock: WallClock
    let randomness: Randomness
    private var store: OperationStore { decisions.store }

    init(database: Database, decisions: Decisions, parts: PowerAuthServices, changes: ChangeBoard) {
        (self.database, self.decisions, self.changes) = (database, decisions, changes)
        (registrations, applications, keys, signatures, clock, randomness) = (
            parts.registrations, parts.applications, parts.keys, parts.signatures, parts.clock, parts.randomness
        )
    }

    /// GET …/offline/qr: each has a nonce of its own, and the first right answer to any of them approves. Without a
    /// registration the application signs it (key type 0): every phone that may decide the operation reads it.
    func code(_ id: String, _ asked: OfflineCodeRequest, for caller: OperationsCaller) async throws -> JSONValue {
        let operation = try await store.find(id, for: caller, in: database)
        guard operation.status == .pending else {
            throw BackOfficeRefusal.operationStateChange("the operation is no longer pending")
        }
        var phone: PhoneRegistration?
        if let name = asked.registrationID {
            phone = try usable(try await registrations.find(name, in: database), operation, caller)
        }
        // What protocol 4 signs for one registration alone is authenticated by what both sides share.
        let fourth = asked.signer == .registration && phone?.protocolVersion == .four ? phone : nil
        let now = clock.now(), nonce = randomness.bytes(16)
        let step: Int64? = operation.isProximityChecked ? Int64(now.numericDate) / ProximityCode.step : nil
        let words = OperationRendering(nil).words(operation), risk = operation.template.risk
        let flags = OfflineCode.Flags(
            biometry: operation.allowedFactors.contains(.possessionBiometry), flip: risk.flipButtons, fraud: risk.fraud,
            blockOnCall: risk.blockOnCall)
        let text: String
        do {
            let code = try OfflineCode(
                operationID: operation.id, title: words.title, message: words.message, data: operation.data,
                flags: flags,
                totp: try totp(operation, step), nonce: nonce,
                signer: fourth == nil ? asked.signer : .personalized)
            if let fourth {
                text = try code.text(personalizedBy: try keys.agreed(of: fourth).activation.personalizedData)
            } else {
                text = try code.text(signedBy: try await pair(asked.signer, operation, phone))
            }
        } catch PowerAuthRefusal.offlineDataMalformed {
            throw BackOfficeRefusal.request("the operation's data cannot be shown offline: it must be such as A1*Ttext")
        }
        _ = try await database.batch([
            """
            delete from phone_offline_nonce where nonce in (
                select n.nonce from phone_offline_nonce n where n.operation = \(operation.id)
                order by n.created_at desc, n.nonce offset \(OfflineService.mostCodes - 1))
            """,
            """
            insert into phone_offline_nonce (nonce, operation, registration, step, created_at)
                values (\(nonce), \(operation.id), \(phone?.id), \(step), \(now))
            """,
        ])
        return ["operationQrCodeData": .string(text), "nonce": .string(Base64Text.encode(nonce))]
    }

    private func pair(
        _ signer: OfflineCode.Signer, _ operation: PhoneOperation, _ phone: PhoneRegistration?
    ) async throws -> PowerAuthKeyPair {
        if signer == .registration, let phone { return try keys.pair(of: phone) }
        guard let application = try await applications.find(operation.application, in: database) else {
            throw BackOfficeRefusal.applicationNotFound
        }
        return try applications.masterPair(of: application)
    }

    /// The digits in a code of that time step; `nil` without a check.
    private func totp(_ operation: PhoneOperation, _ step: Int64?) throws -> String? {
        guard let step, let seed = try decisions.secret(of: operation) else { return nil }
        return ProximityCode.code(seed, at: Date(timeIntervalSince1970: TimeInterval(step * ProximityCode.step)))
    }

    /// Of the operation's application and user, active, and one that may decide it. `claims`: where it is nobody's yet,
    /// any user's will do.
    private func usable(
        _ registration: PhoneRegistration?, _ operation: PhoneOperation, _ caller: OperationsCaller,
        claims: Bool = false
    ) throws(BackOfficeRefusal) -> PhoneRegistration {
        guard let registration, registration.applicationID == operation.application else { throw .registrationNotFound }
        let isFirst = claims && operation.userID == nil && registration.owner == operation.owner
        guard isFirst || operation.userID?.isSame(as: registration.userID) == true else {
            // Another person's is nothing that an app may know of.
            guard caller.person == nil else { throw .registrationNotFound }
            throw .registrationNotAllowed("the registration is not one of the operation's user")
        }
        guard registration.state == .active else {
            throw .registrationNotAllowed("the registration is \(registration.state.rawValue)")
        }
        guard operation.concerns(registration), operation.admits(registration.flags) else {
            throw .registrationNotAllowed("the operation is for another registration")
        }
        return registration
    }

    // MARK: The answer

    /// POST …/offline/otp. The registration is locked before the operation, as everywhere.
    func check(_ id: String, _ answer: OfflineAnswerDraft, by caller: OperationsCaller) async throws -> JSONValue {
        let (operation, verdict) = try await database.atomically { transaction -> (PhoneOperation, JSONValue) in
            let registration = try await registrations.hold(answer.registrationID, in: transaction)
            try await TokenBoundRow.hold("phone_operation", "x.id = \(id)", in: transaction)
            let operation = try await store.find(id, for: caller, locked: true, in: transaction)
            guard operation.status == .pending else {
                throw BackOfficeRefusal.operationStateChange("the operation is no longer pending")
            }
            // Only a code that the application signed is one for whoever is the first.
            let phone = try usable(registration, operation, caller, claims: true)
            guard let nonce = try await given(answer.nonce, of: operation, phone, in: transaction) else {
                throw BackOfficeRefusal.invalidOTP("the nonce is none that this operation and registration got")
            }
            let data = OfflineAnswer.data(
                operationID: operation.id, data: operation.data, totp: try totp(operation, nonce.step),
                nonce: nonce.bytes, uriID: operation.offlineURI)
            let offline = OfflineSignature(
                code: answer.otp, data: data, types: OfflineService.types(operation.allowedFactors),
                origin: caller.actor.origin)
            switch try await signatures.check(
                offline, of: phone.id, application: operation.application, in: transaction)
            {
            case .right(let signer, let factor, _):
                let approved = try await store.finish(
                    operation, as: .approved, OperationStore.End(registration: signer, factor: factor), in: transaction)
                try await decisions.ended(approved, "approve", by: caller.actor, in: transaction)
                return (approved, OfflineService.verdict(signer, factor))
            case .wrong(_, let signer):
                let counted = try await decisions.count(
                    operation, .signatureMismatch, by: caller.actor, otherwise: .operationFailed, in: transaction)
                return (counted.changed ?? operation, OfflineService.verdict(signer ?? phone, nil))
            }
        }
        await changes.announce(operation.id, in: database)
        await decisions.wake(in: database)
        return verdict
    }

    /// `nil` for a nonce that was never in a code of this operation for this registration, or for every one.
    private func given(
        _ bytes: [UInt8], of operation: PhoneOperation, _ registration: PhoneRegistration,
        in executor: any SQLExecutor
    ) async throws -> (bytes: [UInt8], step: Int64?)? {
        let rows = try await executor.query(
            """
            select n.step from phone_offline_nonce n where n.nonce = \(bytes) and n.operation = \(operation.id)
                and (n.registration is null or n.registration = \(registration.id))
            """)
        guard let row = rows.first else { return nil }
        return (bytes, try row("step"))
    }

    /// Offline answers always have two factors: where one would do, the PIN is more.
    static func types(_ allowed: [FactorType]) -> [FactorType] {
        let two = [FactorType.possessionKnowledge, .possessionBiometry].filter { allowed.contains($0) }
        return two.isEmpty ? [.possessionKnowledge] : two
    }

    private static func verdict(_ registration: PhoneRegistration, _ factor: FactorType?) -> JSONValue {
        var members: JSONObject = [
            "otpValid": .bool(factor != nil), "userId": .string(registration.userID),
            "registrationId": .string(registration.id),
            "registrationStatus": .string(registration.state.rawValue),
        ]
        if let factor { members["signatureType"] = .string(factor.rawValue) }
        members["remainingAttempts"] = .integer(max(0, registration.maximumFailed - registration.failed))
        return .object(members)
    }
}

/// The query of GET …/offline/qr.
struct OfflineCodeRequest: Sendable {
    let registrationID: String?
    let signer: OfflineCode.Signer

    /// `signer` is `application` or `registration`: without a word the registration where there is one. An empty
    /// registration is none that exists, and not none: a caller that lost it must not give a code to everybody.
    init(registration: String?, signer: String?) throws(BackOfficeRefusal) {
        registrationID = registration
        switch signer {
        case nil: self.signer = registration == nil ? .master : .registration
        case "application": self.signer = .master
        case "registration":
            guard registration != nil else { throw .request("registrationId is missing: it signs the code") }
            self.signer = .registration
        default: throw .request("signer is application or registration")
        }
    }
}

/// The body of POST …/offline/otp. What has not the shape of an answer is refused and counts nothing.
struct OfflineAnswerDraft: Sendable {
    /// As `OfflineAnswer.normalized` writes it.
    let otp: String
    let nonce: [UInt8]
    let registrationID: String

    init(_ json: JSONValue) throws(BackOfficeRefusal) {
        let members = try BackOfficeMembers(json)
        let typed = try members.required("otp", limit: 128)
        guard let otp = try? OfflineAnswer.normalized(typed) else {
            throw .request("otp is two groups of eight digits")
        }
        guard let nonce = Base64Text.decode(try members.required("nonce", limit: 64), count: 16) else {
            throw .invalidOTP("the nonce is none that was given")
        }
        (self.otp, self.nonce, registrationID) = (otp, nonce, try members.required("registrationId"))
    }
}
