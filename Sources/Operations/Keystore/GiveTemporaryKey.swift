import Base
import PowerAuth

/// POST keystore/create (protocols/operations.md, 4.4).
struct GiveTemporaryKey: Sendable {
    let parts: PowerAuthServices

    func answer(_ request: PowerAuthRequest) async throws -> PowerAuthAnswer {
        let asked = try await PhoneRefusal.turning(.temporaryKey, .temporaryKey) {
            guard let jwt = try RequestObject.read(request.body)["jwt"]?.string else {
                throw PowerAuthRefusal.bodyMalformed
            }
            return try TemporaryKeyRequest(jwt: jwt)
        }
        let version = try await PhoneRefusal.turning(.temporaryKey, .temporaryKey) {
            try await parts.applications.usable(asked.applicationKey, in: parts.database)
        }
        guard let id = asked.activationID else {
            return .ok(["jwt": .string(try await forApplication(asked, version))])
        }
        return .ok(["jwt": .string(try await forRegistration(id, asked, version))])
    }

    private func forApplication(_ asked: TemporaryKeyRequest, _ version: ApplicationVersion) async throws -> String {
        try await PhoneRefusal.turning(.temporaryKey, .temporaryKey) {
            try asked.verify(applicationSecret: version.secret, transport: nil)
        }
        guard let application = try await parts.applications.find(version.applicationID, in: parts.database) else {
            throw PhoneRefusal(error: .temporaryKey, step: .unknownApplicationKey, subject: .temporaryKey)
        }
        return try await parts.temporary.make(
            answering: asked, for: nil, signer: try parts.applications.masterPair(of: application), in: parts.database)
    }

    /// A blocked one gets a key too: it may still ask what became of it.
    private func forRegistration(
        _ id: String, _ asked: TemporaryKeyRequest, _ version: ApplicationVersion
    ) async throws -> String {
        let found = try await parts.registrations.find(id, in: parts.database)
        return try await PhoneRefusal.turning(.temporaryKey, .temporaryKey, about: found) {
            let refusal = SignatureCheck.unusable(found, in: version.applicationID)
            guard let registration = found, refusal == nil || refusal == .activationBlocked else {
                throw refusal ?? PowerAuthRefusal.activationUnknown
            }
            try asked.verify(
                applicationSecret: version.secret, transport: try parts.keys.keys(of: registration).transport)
            return try await parts.temporary.make(
                answering: asked, for: registration, signer: try parts.keys.pair(of: registration), in: parts.database)
        }
    }
}
