import Base
import Database
import PowerAuth
import TokenTree

/// `password/change`, `biometry/add` and `biometry/remove` of `/pa/v4` (docs/operations.md, "PowerAuth 4"): a changed
/// PIN and an added biometry have keys of their own, so that an older copy of a phone's data is of no use.
struct ChangeFactors: Sendable {
    let parts: PowerAuthServices

    func changePassword(_ request: PowerAuthRequest) async throws -> PowerAuthAnswer {
        try await agree(request, "/pa/password/change", .passwordChange, "operations.registration.password") {
            secrets, _, key in secrets.nextKnowledge = key
        }
    }

    /// Where biometry is off its key counts at once: whatever was used before was taken away.
    func addBiometry(_ request: PowerAuthRequest) async throws -> PowerAuthAnswer {
        try await agree(request, "/pa/biometry/add", .biometryAdd, "operations.registration.biometry") {
            secrets, registration, key in
            if registration.isBiometric {
                secrets.nextBiometry = key
            } else {
                (secrets.biometry, secrets.nextBiometry) = (key, nil)
            }
        }
    }

    func removeBiometry(_ request: PowerAuthRequest) async throws -> PowerAuthAnswer {
        try await SignedEndpoint.four("/pa/biometry/remove", allowing: SignedEndpoint.anyFactor).run(request, parts) {
            signed, transaction in
            var secrets = try parts.keys.agreed(of: signed.registration).secrets
            (secrets.biometry, secrets.nextBiometry) = (nil, nil)
            try await store(secrets, isBiometric: false, of: signed.registration, in: transaction)
            try await audit("operations.registration.biometry", signed, request, outcome: "off", in: transaction)
            return .ok()
        }
    }

    /// With the PIN. What is asked for stands in the envelope, or in a member of it.
    private func agree(
        _ request: PowerAuthRequest, _ uriID: String, _ label: EnvelopeLabel, _ action: String,
        _ change: (inout RegistrationSecrets, PhoneRegistration, SecretBytes) -> Void
    ) async throws -> PowerAuthAnswer {
        let endpoint = SignedEndpoint.four(uriID, allowing: [.possessionKnowledge])
        return try await endpoint.run(request, parts, opening: label) { signed, opened, transaction in
            let registration = signed.registration, asked: SharedSecretRequest, isInMember: Bool
            do {
                let json = try opened.json(), member = json["sharedSecretRequest"]
                (asked, isInMember) = (try SharedSecretRequest(json: member ?? json), member != nil)
                guard asked.algorithm == registration.agreement?.algorithm else {
                    throw PowerAuthRefusal.algorithmNotTaken
                }
            } catch let step as PowerAuthRefusal {
                return .refused(PhoneRefusal(error: .request, step: step, about: registration))
            }
            let (response, key) = try asked.answer(parts.randomness)
            var secrets = try parts.keys.agreed(of: registration).secrets
            change(&secrets, registration, key)
            try await store(
                secrets, isBiometric: registration.isBiometric || label == .biometryAdd, of: registration,
                in: transaction)
            try await audit(action, signed, request, outcome: "asked", in: transaction)
            return .done(isInMember ? ["sharedSecretResponse": response.json] : response.json)
        }
    }

    private func store(
        _ secrets: RegistrationSecrets, isBiometric: Bool, of registration: PhoneRegistration,
        in transaction: any SQLExecutor
    ) async throws {
        let sealed = try parts.vault.seal(secrets.bytes, .registrationSecrets, of: registration.id)
        _ = try await parts.registrations.update(
            registration,
            """
            secrets = \(sealed.bytes), secrets_sealed_by = \(sealed.by), is_biometric = \(isBiometric)
            """, in: transaction)
    }

    private func audit(
        _ action: String, _ signed: SignedEndpoint.Signed, _ request: PowerAuthRequest, outcome: String,
        in transaction: any SQLExecutor
    ) async throws {
        try await OperationsAudit.write(
            action, OperationsAudit.phone(signed.registration.id, origin: request.origin),
            about: OperationsAudit.node(signed.registration.id), outcome: outcome, at: parts.clock.now(),
            in: transaction)
    }
}
