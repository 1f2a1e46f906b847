import Base
import PowerAuth

/// POST /pa/v4/activation/status, and `user/info` (docs/operations.md, "PowerAuth 4"): encrypted in activation scope,
/// not signed. Who has not the registration's keys gets no temporary key, and so no answer to tell anything from.
struct TellStatusFour: Sendable {
    let parts: PowerAuthServices

    /// The SDK seals under the generic label; the protocol's documents name one of its own.
    func status(_ request: PowerAuthRequest) async throws -> PowerAuthAnswer {
        let (opened, found) = try await open(request, [.genericActivation, .activationStatus])
        let blob = try await PhoneRefusal.turning(.activation, .activation, about: found) {
            try status(of: try SignatureCheck.answering(found, in: found.applicationID))
        }
        let told: JSONObject = ["activationStatus": .string(Base64Text.encode(blob))]
        return try parts.sealed.seal(FourAnswer.inBothShapes(told), to: opened)
    }

    func user(_ request: PowerAuthRequest) async throws -> PowerAuthAnswer {
        let (opened, found) = try await open(request, [.genericActivation])
        let step =
            SignatureCheck.unusable(found, in: found.applicationID) ?? SignatureCheck.unconfirmed(found)
        if let step {
            throw PhoneRefusal(error: .userInfo, step: step, about: found, subject: .envelope)
        }
        return try parts.sealed.seal(["sub": .string(found.userID)], to: opened)
    }

    private func open(
        _ request: PowerAuthRequest, _ labels: [EnvelopeLabel]
    ) async throws -> (OpenedRequest, PhoneRegistration) {
        let (version, id) = try await PhoneRefusal.turning(.encryption, .envelope) {
            let header = try EncryptionHeader(
                parsing: request.encryption, versions: PowerAuthVersion.ofProtocol4)
            guard let id = header.activationID else { throw PowerAuthRefusal.headerMalformed }
            return (try await parts.applications.usable(header.applicationKey, in: parts.database), id)
        }
        let opened = try await parts.open(request.body, labels, for: version, registration: id)
        guard let found = try await parts.registrations.find(id, in: parts.database) else {
            throw PhoneRefusal(error: .activation, step: .activationUnknown)
        }
        guard try await parts.sealed.claim(opened, in: parts.database) else {
            throw PhoneRefusal(error: .encryption, step: .replay, about: found, subject: .envelope)
        }
        return (opened, found)
    }

    /// Of one whose upgrade is not confirmed, by what the upgrade has exchanged.
    private func status(of registration: PhoneRegistration) throws -> [UInt8] {
        let keys = try parts.keys.agreed(of: registration), agreement = registration.agreement
        let pending = agreement == nil ? try parts.keys.pending(of: registration) : nil
        var flags: ActivationStatus.Flags = []
        if !registration.isConfirmed { flags.insert(.activationConfirmation) }
        if pending != nil { flags.insert(.upgradeConfirmation) }
        if pending?.isBiometric ?? registration.isBiometric { flags.insert(.biometry) }
        if let algorithm = agreement?.algorithm ?? pending?.algorithm,
            !registration.choice.algorithms.contains(algorithm)
        {
            flags.insert(.unsupportedAlgorithm)
        }
        guard let counter = agreement?.counter ?? pending?.counter else { throw PowerAuthRefusal.versionUnsupported }
        let status = try ActivationStatus(
            state: registration.state, flags: flags, counterByte: UInt8(clamping: agreement?.counterByte ?? 0),
            failed: UInt8(clamping: registration.failed), maximumFailed: UInt8(clamping: registration.maximumFailed),
            lookAhead: UInt8(clamping: registration.lookAhead),
            counterHash: try counter.mac(keys.activation.counterMAC),
            currentVersion: registration.protocolVersion.number, upgradeVersion: registration.upgradeVersion.number)
        return try status.bytes(filler: parts.randomness.bytes(4), key: keys.activation.statusMAC)
    }
}

enum FourAnswer {
    /// The protocol's documents show some encrypted answers in the envelope of plain ones and some without it: phones
    /// find their members in either place.
    static func inBothShapes(_ members: JSONObject) -> JSONValue {
        var all = members
        all["status"] = "OK"
        all["responseObject"] = .object(members)
        return .object(all)
    }
}
