import Base
import Database
import Foundation

/// Rows of `phone_temporary_key` (protocols/operations.md, 4.4): five minutes, used as often as wanted, by the app version and registration that it was given to.
struct TemporaryKeys: Sendable {
    static let lifetime: TimeInterval = 300

    let vault: RowVault
    let clock: WallClock
    let randomness: Randomness

    /// The response's JWT. `registration` is the one that `request` names, and `signer` its pair, or the application's.
    func make(answering request: TemporaryKeyRequest, for registration: PhoneRegistration?, signer: PowerAuthKeyPair,
              in executor: any SQLExecutor) async throws -> String {
        let id = OperationID.fresh(randomness), pair = PowerAuthKeyPair.fresh(), now = clock.now(), expires = now.addingTimeInterval(TemporaryKeys.lifetime)
        let sealed = try vault.seal(pair.privateBytes, .temporaryPrivate, of: id)
        _ = try await executor.execute("""
            insert into phone_temporary_key (id, application_key, registration, private, private_sealed_by, expires_at)
            values (\(id), \(request.applicationKey), \(registration?.id), \(sealed.bytes), \(sealed.by), \(expires))
            """)
        let response = TemporaryKeyResponse(keyID: id, answering: request, publicKey: pair.public65, issued: Milliseconds.of(now), expires: Milliseconds.of(expires))
        return try response.jwt(signedBy: signer)
    }

    /// The private half, for whom it was made.
    func find(_ id: String, applicationKey: String, registration: String?, in executor: any SQLExecutor) async throws -> PowerAuthKeyPair {
        let rows = try await executor.query("""
            select k.application_key, k.registration, k.private, k.private_sealed_by, k.expires_at from phone_temporary_key k where k.id = \(id)
            """)
        guard let row = rows.first, let sealed = try Sealed(row, "private", by: "private_sealed_by") else { throw PowerAuthRefusal.temporaryKeyUnknown }
        let ownKey: String = try row("application_key"), ownRegistration: String? = try row("registration"), expires: Date = try row("expires_at")
        guard ownKey == applicationKey, ownRegistration == registration else { throw PowerAuthRefusal.temporaryKeyOfOther }
        guard expires > clock.now() else { throw PowerAuthRefusal.temporaryKeyExpired }
        return try PowerAuthKeyPair(privateBytes: try vault.open(sealed, .temporaryPrivate, of: id))
    }
}
