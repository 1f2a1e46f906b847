import Base
import PowerAuth

/// POST user/info (protocols/operations.md, 4.10): encrypted in activation scope, not signed. The phone hears whose it
/// is.
struct TellUser: Sendable {
    let parts: PowerAuthServices

    func answer(_ request: PowerAuthRequest) async throws -> PowerAuthAnswer {
        let (version, id) = try await PhoneRefusal.turning(.encryption, .envelope) {
            let header = try EncryptionHeader(parsing: request.encryption)
            guard let id = header.activationID else { throw PowerAuthRefusal.headerMalformed }
            return (try await parts.applications.usable(header.applicationKey, in: parts.database), id)
        }
        let opened = try await parts.open(request.body, .genericActivation, for: version, registration: id)
        guard try await parts.envelopes.claim(opened, in: parts.database) else {
            throw PhoneRefusal(error: .encryption, step: .replay, subject: .envelope)
        }
        let found = try await parts.registrations.find(id, in: parts.database)
        if let step = SignatureCheck.unusable(found, in: version.applicationID) {
            throw PhoneRefusal(error: .userInfo, step: step, about: found, subject: .envelope)
        }
        return .sealed(try parts.envelopes.seal(["sub": JSONValue(found?.userID)], to: opened))
    }
}
