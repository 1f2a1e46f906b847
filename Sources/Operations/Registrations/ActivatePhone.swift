import Base
import Database
import Foundation
import PowerAuth
import TokenTree

/// POST activation/create (protocols/operations.md, 4.6): two envelopes in application scope, and whoever shows the
/// code first.
struct ActivatePhone: Sendable {
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
        guard version.choice.takes(.three) else {
            throw PhoneRefusal(error: .activation, step: .protocolNotTaken)
        }
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
            try await parts.envelopes.open(
                try Envelope(json: asked.inner), .activation, for: version, in: parts.database)
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
        let (admitted, refusal) = try await ActivationAdmission(parts: parts).admit(
            layers.code, layers.exchange.told, version, origin: origin, in: transaction)
        guard let registration = admitted else {
            return .refused(refusal)
        }
        let (registered, pair, counter) = try await store(layers.exchange, registration, in: transaction)
        try await ActivationAdmission(parts: parts).tell(registered, origin: origin, in: transaction)

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
        let registered = try await parts.registrations.update(
            registration,
            """
            device_key = \(exchange.devicePublicKey), server_public = \(pair.public65),
                server_private = \(sealed.bytes), server_sealed_by = \(sealed.by), ctr_data = \(counter.bytes),
                ctr_byte = 0, \(ActivationAdmission.admitting(registration, exchange.told, at: now))
            """, in: transaction)
        return (registered, pair, counter)
    }
}
