import Base
import Database
import Foundation
import PowerAuth
import TokenTree

/// POST activation/create (protocols/operations.md, 4.6): two envelopes in application scope, and whoever shows the
/// code first.
struct ActivatePhone: Sendable {
    /// After the exchange there is at least so much time to commit (decisions.md, operations 6).
    static let commitTime: TimeInterval = 120

    let parts: PowerAuthServices

    private struct Layers: Sendable {
        let outer: OpenedEnvelope
        let inner: OpenedEnvelope
        let code: ActivationCode
        let exchange: KeyExchange
    }

    func answer(_ request: PowerAuthRequest) async throws -> PowerAuthAnswer {
        let version = try await PhoneRefusal.turning(.encryption, .envelope) {
            try await parts.applications.usable(
                try EncryptionHeader(parsing: request.encryption).applicationKey, in: parts.database)
        }
        let layers = try await open(request, version)
        return try await parts.database.settling { transaction in
            try await exchange(layers, version, origin: request.origin, in: transaction)
        }
    }

    private func open(_ request: PowerAuthRequest, _ version: ApplicationVersion) async throws -> Layers {
        let outer = try await PhoneRefusal.turning(.encryption, .envelope) {
            try await parts.envelopes.open(
                try Envelope(body: request.body), .genericApplication, for: version, in: parts.database)
        }
        let asked = try await PhoneRefusal.turning(.activation, .activation) { try ActivationRequest(outer.plaintext) }
        let inner = try await PhoneRefusal.turning(.encryption, .envelope) {
            try await parts.envelopes.open(asked.inner, .activation, for: version, in: parts.database)
        }
        let exchange = try await PhoneRefusal.turning(.activation, .activation) { try KeyExchange(inner.plaintext) }
        return Layers(outer: outer, inner: inner, code: asked.code, exchange: exchange)
    }

    private func exchange(
        _ layers: Layers, _ version: ApplicationVersion, origin: String?, in transaction: any SQLExecutor
    ) async throws -> Outcome<PowerAuthAnswer> {
        guard try await parts.envelopes.claim(layers.outer, in: transaction),
            try await parts.envelopes.claim(layers.inner, in: transaction)
        else {
            return .refused(PhoneRefusal(error: .encryption, step: .replay, subject: .envelope))
        }
        // A code of another application is unknown in this one, and stays what it is.
        let code = Digest.sha256(layers.code.text)
        try await TokenBoundRow.hold(
            "phone_registration", "x.code_hash = \(code) and x.application = \(version.applicationID)", in: transaction)
        let found = try await parts.registrations.hold(code: code, application: version.applicationID, in: transaction)
        guard let registration = found else {
            return .refused(PhoneRefusal(error: .activation, step: .activationCodeUnknown))
        }
        guard registration.state == .created else {
            return .refused(PhoneRefusal(error: .activation, step: .activationCodeExpired, about: registration))
        }
        let passwords = OneTimePassword(registrations: parts.registrations, events: parts.events, clock: parts.clock)
        let phone = OperationsAudit.phone(registration.id, origin: origin)
        guard try passwords.admits(layers.exchange.otp, registration, at: .onKeyExchange) else {
            try await passwords.strike(registration, by: phone, in: transaction)
            return .refused(PhoneRefusal(error: .activation, step: .activationOTPMismatch, isWritten: true))
        }
        let (registered, pair, counter) = try await store(layers.exchange, registration, in: transaction)
        let detail: JSONObject = ["state": .string(registered.state.rawValue), "app_id": .string(registered.appID)]
        try await OperationsAudit.write(
            "operations.registration.exchange", phone, about: OperationsAudit.node(registered.id), detail,
            at: parts.clock.now(),
            in: transaction)
        try await parts.events.tell(
            RegistrationEvent(kind: registered.state == .active ? .active : .exchanged, registration: registered),
            transaction)

        let inner: JSONValue = [
            "activationId": .string(registered.id), "serverPublicKey": .string(Base64Text.encode(pair.public65)),
            "ctrData": .string(Base64Text.encode(counter.bytes)),
        ]
        let outer: JSONValue = ["activationData": try parts.envelopes.seal(inner, to: layers.inner).json]
        return .done(.sealed(try parts.envelopes.seal(outer, to: layers.outer)))
    }

    /// The code is used up. A password that was due here is too.
    private func store(
        _ exchange: KeyExchange, _ registration: PhoneRegistration,
        in transaction: any SQLExecutor
    ) async throws -> (PhoneRegistration, PowerAuthKeyPair, HashCounter) {
        let pair = PowerAuthKeyPair.fresh(), counter = HashCounter.fresh(parts.randomness), now = parts.clock.now()
        let sealed = try parts.vault.seal(pair.privateBytes, .serverPrivate, of: registration.id)
        let isActive = registration.commitPhase == .onKeyExchange
        let state = isActive ? ActivationState.active : .pendingCommit, committed: Date? = isActive ? now : nil
        let registered = try await parts.registrations.update(
            registration,
            """
            state = \(state.rawValue), code_hash = null, device_key = \(exchange.devicePublicKey),
                server_public = \(pair.public65), server_private = \(sealed.bytes),
            server_sealed_by = \(sealed.by), ctr_data = \(counter.bytes), ctr_byte = 0, name = \(exchange.name),
                platform = \(exchange.platform),
            device_info = \(exchange.deviceInfo), external_id = \(exchange.externalID),
                committed_at = \(committed), last_used_at = \(now),
            expires_at = greatest(r.expires_at, \(now.addingTimeInterval(ActivatePhone.commitTime))),
            otp = case when r.otp_validation = 'ON_COMMIT' then r.otp end, otp_sealed_by = case
                when r.otp_validation = 'ON_COMMIT' then r.otp_sealed_by end
            """, in: transaction)
        return (registered, pair, counter)
    }
}
