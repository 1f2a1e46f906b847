import Base
import PowerAuth

/// GET /v2/registrations/{id}.
extension PhoneRegistration {
    /// What people compare with the phone's before they commit; `nil` before the key exchange.
    public var fingerprint: String? {
        if let agreement {
            return try? Fingerprint.of(device: agreement.device, activationID: id, server: agreement.server)
        }
        return exchange.flatMap {
            try? Fingerprint.of(device: $0.devicePublicKey, activationID: id, server: $0.serverPublicKey)
        }
    }

    public var json: JSONValue {
        var members: JSONObject = [
            "registrationId": .string(id), "registrationStatus": .string(state.rawValue), "userId": .string(userID),
            "appId": .string(appID), "protocol": .string(protocolVersion.rawValue), "algorithm": .string(algorithm),
        ]
        if let fingerprint { members["activationFingerprint"] = .string(fingerprint) }
        if let name { members["activationName"] = .string(name) }
        if let platform { members["platform"] = .string(platform) }
        if let deviceInfo { members["deviceInfo"] = .string(deviceInfo) }
        members["flags"] = JSONValue(strings: flags)
        members["failedAttempts"] = .integer(failed)
        members["maxFailedAttempts"] = .integer(maximumFailed)
        if state == .blocked, let blockedReason { members["blockedReason"] = .string(blockedReason) }
        if state == .blocked, let blockedUntil {
            members["timestampBlockedUntil"] = .integer(blockedUntil.milliseconds)
        }
        members["timestampCreated"] = .integer(Int(Milliseconds.of(createdAt)))
        if let lastUsedAt { members["timestampLastUsed"] = .integer(Int(Milliseconds.of(lastUsedAt))) }
        return .object(members)
    }
}

/// GET /v2/registrations.
public struct RegistrationPage: Sendable {
    public let registrations: [PhoneRegistration]
    /// To be sent back as `after`; `nil` on the last page.
    public let next: String?

    public var json: JSONValue {
        var members: JSONObject = ["registrations": .array(registrations.map(\.json))]
        if let next { members["next"] = .string(next) }
        return .object(members)
    }
}

/// The answer to POST /v2/registrations: the one time that the code is told.
public struct StartedRegistration: Sendable {
    public let registration: PhoneRegistration
    public let code: ActivationCode
    public let signature: String

    /// For a QR code.
    public var qrText: String { code.qrText(signature: signature) }

    public var json: JSONValue {
        [
            "registrationId": .string(registration.id), "activationCode": .string(code.text),
            "activationCodeSignature": .string(signature),
            "activationQrCodeData": .string(qrText),
            "timestampRegistrationExpire": .integer(Int(Milliseconds.of(registration.expiresAt))),
        ]
    }
}
