import Base
import Database
import Foundation
import PowerAuth

/// Rows of `phone_temporary_key` (protocols/operations.md, 4.4): five minutes, used as often as wanted, by the app
/// version and registration that it was given to.
struct TemporaryKeys: Sendable {
    static let lifetime: TimeInterval = 300
    /// Every app's binary holds what it takes to ask for one of the application: whoever asks within so many seconds
    /// gets the same, so that a request is no row.
    static let shared: TimeInterval = 60

    private struct TemporaryKey {
        let id: String
        let pair: PowerAuthKeyPair
        let expires: Date
    }

    let vault: SealedColumns
    let clock: WallClock
    let randomness: Randomness

    /// The response's JWT. `registration` is the one that `request` names, and `signer` its pair, or the application's.
    func make(
        answering request: TemporaryKeyRequest, for registration: PhoneRegistration?, signer: PowerAuthKeyPair,
        in executor: any SQLExecutor
    ) async throws -> String {
        let now = clock.now(),
            held = registration == nil ? try await young(of: request.applicationKey, at: now, in: executor) : nil
        let key =
            if let held { held } else {
                try await fresh(of: request.applicationKey, registration, at: now, in: executor)
            }
        let response = TemporaryKeyResponse(
            keyID: key.id, answering: request, publicKey: key.pair.public65, issued: Milliseconds.of(now),
            expires: Milliseconds.of(key.expires))
        return try response.jwt(signedBy: signer)
    }

    private func fresh(
        of applicationKey: String, _ registration: PhoneRegistration?, at now: Date, in executor: any SQLExecutor
    ) async throws -> TemporaryKey {
        let key = TemporaryKey(
            id: OperationID.fresh(randomness), pair: PowerAuthKeyPair.fresh(),
            expires: now.addingTimeInterval(TemporaryKeys.lifetime))
        let sealed = try vault.seal(key.pair.privateBytes, .temporaryPrivate, of: key.id)
        _ = try await executor.execute(
            """
            insert into phone_temporary_key (id, application_key, registration, private, private_sealed_by, expires_at)
            values (\(key.id), \(applicationKey), \(registration?.id), \(sealed.bytes), \(sealed.by), \(key.expires))
            """)
        return key
    }

    /// Protocol 4: a secret that only this phone shares, so each request has a row, for five minutes.
    func make(
        answering request: TemporarySecretRequest, for registration: PhoneRegistration?, signer: HybridKeyPair,
        in executor: any SQLExecutor
    ) async throws -> String {
        let now = clock.now(), expires = now.addingTimeInterval(TemporaryKeys.lifetime),
            id = OperationID.fresh(randomness), (shared, secret) = try request.sharedSecret.answer(randomness)
        let sealed = try vault.seal(secret, .temporarySecret, of: id)
        _ = try await executor.execute(
            """
            insert into phone_temporary_key (id, application_key, registration, private, private_sealed_by, expires_at,
                protocol)
            values (\(id), \(request.applicationKey), \(registration?.id), \(sealed.bytes), \(sealed.by), \(expires),
                '4.0')
            """)
        return try TemporarySecretResponse(
            keyID: id, answering: request, sharedSecret: shared, issued: Milliseconds.of(now),
            expires: Milliseconds.of(expires)
        ).jws(signedBy: signer)
    }

    /// `nil` also for one that another master key sealed. One made by a process whose clock is ahead counts from when
    /// it would be made here: it is not shared for longer, nor told to live longer, than `lifetime` from now. Two
    /// processes may each make one: that is all the same to phones.
    private func young(
        of applicationKey: String, at now: Date, in executor: any SQLExecutor
    ) async throws -> TemporaryKey? {
        let rows = try await executor.query(
            """
            select k.id, k.private, k.private_sealed_by, k.expires_at from phone_temporary_key k
            where k.application_key = \(applicationKey) and k.registration is null and k.protocol = '3.3'
              and k.expires_at > \(now.addingTimeInterval(TemporaryKeys.lifetime - TemporaryKeys.shared))
              and k.expires_at <= \(now.addingTimeInterval(TemporaryKeys.lifetime))
            order by k.expires_at desc limit 1
            """)
        guard let row = rows.first, let sealed = try Sealed(row, "private", by: "private_sealed_by") else { return nil }
        let id: String = try row("id")
        guard let bytes = try? vault.open(sealed, .temporaryPrivate, of: id) else { return nil }
        return TemporaryKey(id: id, pair: try PowerAuthKeyPair(privateBytes: bytes), expires: try row("expires_at"))
    }

    /// The private half, for whom it was made.
    func find(
        _ id: String, applicationKey: String, registration: String?, in executor: any SQLExecutor
    ) async throws -> PowerAuthKeyPair {
        try PowerAuthKeyPair(
            privateBytes: try await secret(
                id, of: .three, applicationKey: applicationKey, registration: registration, in: executor))
    }

    /// What its row keeps: the private half in protocol 3, the secret that was agreed upon in protocol 4.
    func secret(
        _ id: String, of version: PhoneProtocol, applicationKey: String, registration: String?,
        in executor: any SQLExecutor
    ) async throws -> SecretBytes {
        let rows = try await executor.query(
            """
            select k.application_key, k.registration, k.private, k.private_sealed_by, k.expires_at
                from phone_temporary_key k where k.id = \(id) and k.protocol = \(version.rawValue)
            """)
        guard let row = rows.first, let sealed = try Sealed(row, "private", by: "private_sealed_by") else {
            throw PowerAuthRefusal.temporaryKeyUnknown
        }
        let ownKey: String = try row("application_key"), ownRegistration: String? = try row("registration"),
            expires: Date = try row("expires_at")
        guard ownKey == applicationKey, ownRegistration == registration else {
            throw PowerAuthRefusal.temporaryKeyOfOther
        }
        guard expires > clock.now() else { throw PowerAuthRefusal.temporaryKeyExpired }
        return try vault.open(sealed, version == .four ? .temporarySecret : .temporaryPrivate, of: id)
    }
}
