import Base
import PowerAuth

/// POST /pa/v4/keystore/create (docs/operations.md, "PowerAuth 4"): a temporary key is a secret that both sides agree
/// upon.
struct GiveTemporarySecret: Sendable {
    let parts: PowerAuthServices

    func answer(_ request: PowerAuthRequest) async throws -> PowerAuthAnswer {
        let asked = try await PhoneRefusal.turning(.temporaryKey, .temporaryKey) {
            guard let jwt = try RequestObject.read(request.body)["jwt"]?.string else {
                throw PowerAuthRefusal.bodyMalformed
            }
            return try TemporarySecretRequest(jwt: jwt)
        }
        let version = try await PhoneRefusal.turning(.temporaryKey, .temporaryKey) {
            try await parts.applications.usable(asked.applicationKey, in: parts.database)
        }
        let text =
            if let id = asked.activationID { try await forRegistration(id, asked, version) } else {
                try await forApplication(asked, version, origin: request.origin)
            }
        return .ok(["jwt": .string(text)])
    }

    /// Counted when the request is the application's own: who has not its secret takes nothing from those who have.
    private func forApplication(
        _ asked: TemporarySecretRequest, _ version: ApplicationVersion, origin: String?
    ) async throws -> String {
        try await PhoneRefusal.turning(.temporaryKey, .temporaryKey) {
            try asked.verify(applicationSecret: version.secret, temporaryKeyMAC: nil)
            try version.choice.admit(asked.sharedSecret.algorithm)
            try parts.temporaryRate.take(version.applicationID, from: origin, at: parts.clock.now())
            let signer = try await parts.applications.keys.signer(
                of: version.applicationID, asked.sharedSecret.algorithm, in: parts.database)
            return try await parts.temporary.make(answering: asked, for: nil, signer: signer, in: parts.database)
        }
    }

    /// One that waits to be committed or is blocked gets a key too: it may ask how it stands. Its own algorithm is
    /// asked for whatever the application takes by now.
    private func forRegistration(
        _ id: String, _ asked: TemporarySecretRequest, _ version: ApplicationVersion
    ) async throws -> String {
        let found = try await parts.registrations.find(id, in: parts.database)
        return try await PhoneRefusal.turning(.temporaryKey, .temporaryKey, about: found) {
            let registration = try SignatureCheck.answering(found, in: version.applicationID)
            try asked.verify(
                applicationSecret: version.secret,
                temporaryKeyMAC: try parts.keys.agreed(of: registration).activation.temporaryKeyMAC)
            let signer = try parts.keys.signer(of: registration)
            guard asked.sharedSecret.algorithm == signer.publicKey.algorithm else {
                throw PowerAuthRefusal.algorithmNotTaken
            }
            return try await parts.temporary.make(
                answering: asked, for: registration, signer: signer, in: parts.database)
        }
    }
}
