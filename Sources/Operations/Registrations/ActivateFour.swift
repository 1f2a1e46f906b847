import Base
import Database
import PowerAuth

/// POST /pa/v4/activation/create (docs/operations.md, "PowerAuth 4"): two envelopes in application scope. Whether
/// biometry is on says the confirmation.
struct ActivateFour: Sendable {
    let parts: PowerAuthServices

    private struct Layers: Sendable {
        let outer: OpenedRequest
        let inner: OpenedRequest
        let code: ActivationCode
        let exchange: KeyExchangeRequest
        let told: PhoneIntroduction
    }

    func answer(_ request: PowerAuthRequest) async throws -> PowerAuthAnswer {
        let version = try await PhoneRefusal.turning(.encryption, .envelope) {
            let header = try EncryptionHeader(
                parsing: request.encryption, versions: PowerAuthVersion.ofProtocol4)
            return try await parts.applications.usable(header.applicationKey, in: parts.database)
        }
        let layers = try await open(request, version)
        try await PhoneRefusal.turning(.activation, .activation) {
            try version.choice.admit(layers.exchange.sharedSecret.algorithm)
        }
        return try await parts.database.settling { transaction in
            try await exchange(layers, version, origin: request.origin, in: transaction)
        }
    }

    private func open(_ request: PowerAuthRequest, _ version: ApplicationVersion) async throws -> Layers {
        let outer = try await PhoneRefusal.turning(.encryption, .envelope) {
            try await parts.sealed.open(
                try SealedRequest(body: request.body), .genericApplication, for: version, in: parts.database)
        }
        let asked = try await PhoneRefusal.turning(.activation, .activation) { try ActivationRequest(outer.plaintext) }
        let inner = try await PhoneRefusal.turning(.encryption, .envelope) {
            try await parts.sealed.open(
                try SealedRequest(json: asked.inner), .activation, for: version, in: parts.database)
        }
        return try await PhoneRefusal.turning(.activation, .activation) {
            let json = try inner.json()
            return Layers(
                outer: outer, inner: inner, code: asked.code, exchange: try KeyExchangeRequest(json: json),
                told: PhoneIntroduction(json))
        }
    }

    private func exchange(
        _ layers: Layers, _ version: ApplicationVersion, origin: String?, in transaction: any SQLExecutor
    ) async throws -> Outcome<PowerAuthAnswer> {
        guard try await parts.sealed.claim(layers.outer, in: transaction),
            try await parts.sealed.claim(layers.inner, in: transaction)
        else {
            return .refused(PhoneRefusal(error: .encryption, step: .replay, subject: .envelope))
        }
        let admission = ActivationAdmission(parts: parts)
        let (admitted, refusal) = try await admission.admit(
            layers.code, layers.told, version, origin: origin, in: transaction)
        guard let registration = admitted else { return .refused(refusal) }

        let asked = KeyExchangeRequest(
            sharedSecret: layers.exchange.sharedSecret, deviceKeys: layers.exchange.deviceKeys)
        let (made, response) = try NewAgreement.make(answering: asked, parts.randomness)
        let columns = try made.columns(of: registration.id, next: made.counter, counterByte: 0, vault: parts.vault)
        let registered = try await parts.registrations.update(
            registration,
            """
            \(columns), \(ActivationAdmission.admitting(registration, layers.told, at: parts.clock.now()))
            """, in: transaction)
        try await admission.tell(registered, origin: origin, in: transaction)

        var inner = response.members
        inner["activationId"] = .string(registered.id)
        let outer: JSONValue = ["activationData": try parts.sealed.seal(.object(inner), to: layers.inner).body]
        return .done(try parts.sealed.seal(outer, to: layers.outer))
    }
}
