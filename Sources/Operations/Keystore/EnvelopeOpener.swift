import Base
import Database
import Foundation
import PowerAuth
import TokenTree

/// A request that was opened, and what seals its response.
struct OpenedEnvelope: Sendable {
    let plaintext: [UInt8]
    let envelope: Envelope
    let exchange: ECIES
}

/// Opens envelopes and remembers them (protocols/operations.md, 4.5). It refuses by throwing `PowerAuthRefusal`, and
/// nothing that it does moves a counter.
struct EnvelopeOpener: Sendable {
    static let namespace = "operations envelope"

    let temporary: TemporaryKeys
    let oneTime: OneTimeStore
    let clock: WallClock
    let randomness: Randomness

    /// In application scope.
    func open(
        _ envelope: Envelope, _ label: ECIESLabel, for version: ApplicationVersion, in executor: any SQLExecutor
    ) async throws -> OpenedEnvelope {
        let own = try await temporary.find(
            envelope.temporaryKeyID, applicationKey: version.applicationKey, registration: nil, in: executor)
        let context = ECIESContext.application(
            key: version.applicationKey, secret: version.secretText, temporaryKeyID: envelope.temporaryKeyID)
        return try open(envelope, own, label, context)
    }

    /// In activation scope. The temporary key is looked at first: none is given to who has not the device's key, so
    /// that a registration that is not there and one that is not theirs answer alike. `keys` opens the registration.
    func open(
        _ envelope: Envelope, _ label: ECIESLabel, for version: ApplicationVersion, registration id: String,
        keys: () async throws -> ActivationKeys,
        in executor: any SQLExecutor
    ) async throws -> OpenedEnvelope {
        let own = try await temporary.find(
            envelope.temporaryKeyID, applicationKey: version.applicationKey, registration: id, in: executor)
        let context = ECIESContext.activation(
            id: id, transport: try await keys().transport, key: version.applicationKey, secret: version.secretText,
            temporaryKeyID: envelope.temporaryKeyID)
        return try open(envelope, own, label, context)
    }

    private func open(
        _ envelope: Envelope, _ own: PowerAuthKeyPair, _ label: ECIESLabel, _ context: ECIESContext
    ) throws(PowerAuthRefusal) -> OpenedEnvelope {
        let exchange = try ECIES(answering: envelope, own: own, label: label, context: context)
        let plaintext = try exchange.open(envelope)
        try envelope.checkTime(clock.now())
        return OpenedEnvelope(plaintext: plaintext, envelope: envelope, exchange: exchange)
    }

    /// True once, until it is too old by its own time.
    func claim(_ opened: OpenedEnvelope, in executor: any SQLExecutor) async throws -> Bool {
        let end = Milliseconds.date(opened.envelope.sealed.timestamp).addingTimeInterval(
            TimeInterval(Envelope.maximumAge + 60))
        return try await oneTime.claim(
            opened.envelope.replayName, namespace: EnvelopeOpener.namespace, expires: end,
            in: executor is Database ? nil : executor)
    }

    func seal(_ response: JSONValue, to opened: OpenedEnvelope) throws(PowerAuthRefusal) -> SealedData {
        try opened.exchange.seal(
            response: response.bytes, nonce: randomness.bytes(16), timestamp: Milliseconds.of(clock.now()))
    }
}
