import Base
import Database
import PowerAuth
import TokenTree

/// What every signed endpoint of `/pa` does (protocols/operations.md, 4.8 to 4.10): the envelope first, where there is
/// one, then the signature, in one transaction with what follows. A refused envelope moves no counter; a refused
/// signature is committed with its count.
struct SignedEndpoint: Sendable {
    static let anyFactor: Set<FactorType> = [.possession, .possessionKnowledge, .possessionBiometry]

    let uriID: String
    let allowing: Set<FactorType>
    var versions = PowerAuthVersion.ofSignatures
    var standing = SignedRequest.Standing.inUse

    /// Of protocol 4.
    static func four(
        _ uriID: String, allowing: Set<FactorType>, standing: SignedRequest.Standing = .inUse
    ) -> SignedEndpoint {
        SignedEndpoint(
            uriID: uriID, allowing: allowing, versions: PowerAuthVersion.ofProtocol4, standing: standing)
    }

    /// A signature that was right.
    struct Signed: Sendable {
        let registration: PhoneRegistration
        let factor: FactorType
    }

    /// `act` runs in the transaction, after the check.
    func run(
        _ request: PowerAuthRequest, _ parts: PowerAuthServices,
        _ act: (Signed, any SQLExecutor) async throws -> PowerAuthAnswer
    ) async throws -> PowerAuthAnswer {
        let signed = try header(request)
        return try await parts.database.settling { transaction in
            try await check(signed, request, parts, transaction, act)
        }
    }

    /// The body is an envelope in activation scope, sealed under `label`; `act` gives the response's plaintext.
    func run(
        _ request: PowerAuthRequest, _ parts: PowerAuthServices, opening label: ECIESLabel,
        _ act: (Signed, OpenedEnvelope, any SQLExecutor) async throws -> JSONValue
    ) async throws -> PowerAuthAnswer {
        let signed = try header(request)
        let version = try await PhoneRefusal.turning(.authentication, .signature) {
            try await parts.applications.usable(signed.header.applicationKey, in: parts.database)
        }
        let opened = try await parts.open(request.body, label, for: version, registration: signed.header.activationID)
        return try await parts.database.settling { transaction in
            guard try await parts.envelopes.claim(opened, in: transaction) else {
                return .refused(PhoneRefusal(error: .encryption, step: .replay, subject: .envelope))
            }
            return try await check(signed, request, parts, transaction) { signed, transaction in
                .sealed(try parts.envelopes.seal(try await act(signed, opened, transaction), to: opened))
            }
        }
    }

    /// As above, encrypted by protocol 4: in activation scope, or in application scope for one that is not of protocol
    /// 4 yet.
    func run(
        _ request: PowerAuthRequest, _ parts: PowerAuthServices, opening label: EnvelopeLabel,
        inApplication: Bool = false,
        _ act: (Signed, OpenedRequest, any SQLExecutor) async throws -> Outcome<JSONValue>
    ) async throws -> PowerAuthAnswer {
        let signed = try header(request)
        let version = try await PhoneRefusal.turning(.authentication, .signature) {
            try await parts.applications.usable(signed.header.applicationKey, in: parts.database)
        }
        let opened = try await parts.open(
            request.body, [label], for: version, registration: signed.header.activationID,
            inApplication: inApplication)
        return try await parts.database.settling { transaction in
            guard try await parts.sealed.claim(opened, in: transaction) else {
                return .refused(PhoneRefusal(error: .encryption, step: .replay, subject: .envelope))
            }
            var refused: Outcome<PowerAuthAnswer>?
            let outcome = try await check(signed, request, parts, transaction) { signed, transaction in
                switch try await act(signed, opened, transaction) {
                case .done(let plaintext): return try parts.sealed.seal(plaintext, to: opened)
                case .refused(let refusal):
                    refused = .refused(refusal)
                    return .ok()
                }
            }
            // The signature was right: its counter moves whatever comes of the rest.
            return refused ?? outcome
        }
    }

    private func header(_ request: PowerAuthRequest) throws -> SignedRequest {
        do {
            return SignedRequest(
                uriID: uriID, body: request.body,
                header: try SignatureHeader(parsing: request.authorization, versions: versions), standing: standing)
        } catch {
            throw PhoneRefusal(error: .authentication, step: error, subject: .signature)
        }
    }

    private func check(
        _ signed: SignedRequest, _ request: PowerAuthRequest, _ parts: PowerAuthServices,
        _ transaction: any SQLExecutor,
        _ act: (Signed, any SQLExecutor) async throws -> PowerAuthAnswer
    ) async throws -> Outcome<PowerAuthAnswer> {
        switch try await parts.signatures.check(signed, allowing: allowing, origin: request.origin, in: transaction) {
        case .right(let registration, let factor, _):
            return .done(try await act(Signed(registration: registration, factor: factor), transaction))
        case .wrong(let step, _):
            return .refused(PhoneRefusal(error: .authentication, step: step, isWritten: true, subject: .signature))
        }
    }
}

extension PowerAuthServices {
    /// A body in activation scope. Who has a temporary key of a registration has its device's key; what is gone by now
    /// is refused by the same word.
    func open(
        _ body: [UInt8], _ label: ECIESLabel, for version: ApplicationVersion, registration id: String
    ) async throws -> OpenedEnvelope {
        do {
            return try await envelopes.open(
                try Envelope(body: body), label, for: version, registration: id,
                keys: {
                    guard let registration = try await registrations.find(id, in: database) else {
                        throw PowerAuthRefusal.activationUnknown
                    }
                    return try keys.keys(of: registration)
                }, in: database)
        } catch let step as PowerAuthRefusal {
            throw PhoneRefusal(
                error: .encryption, step: step, about: try await registrations.find(id, in: database),
                subject: .envelope)
        }
    }

    /// As above, of protocol 4.
    func open(
        _ body: [UInt8], _ labels: [EnvelopeLabel], for version: ApplicationVersion, registration id: String,
        inApplication: Bool = false
    ) async throws -> OpenedRequest {
        do {
            let request = try SealedRequest(body: body)
            if inApplication, let label = labels.first {
                return try await sealed.open(request, label, for: version, in: database)
            }
            return try await sealed.open(
                request, labels, for: version, registration: id,
                keys: {
                    guard let registration = try await registrations.find(id, in: database) else {
                        throw PowerAuthRefusal.activationUnknown
                    }
                    return try keys.agreed(of: registration)
                }, in: database)
        } catch let step as PowerAuthRefusal {
            throw PhoneRefusal(
                error: .encryption, step: step, about: try await registrations.find(id, in: database),
                subject: .envelope)
        }
    }
}
