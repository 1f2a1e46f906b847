import Base
import Database
import Foundation
import PowerAuth
import TokenTree

/// A request of protocol 4 that was opened, and what seals its response.
struct OpenedRequest: Sendable {
    let plaintext: [UInt8]
    fileprivate let request: SealedRequest
    fileprivate let context: EnvelopeContext

    /// `bodyMalformed` unless the plaintext is JSON.
    func json() throws(PowerAuthRefusal) -> JSONValue {
        guard let json = try? JSONReader.read(plaintext, depth: 8) else { throw .bodyMalformed }
        return json
    }
}

/// Opens what is encrypted in protocol 4 and remembers it, by the rules of `EnvelopeOpener`.
struct SealedRequestOpener: Sendable {
    static let namespace = "operations envelope 4"

    let temporary: TemporaryKeys
    let oneTime: OneTimeStore
    let clock: WallClock

    /// In application scope.
    func open(
        _ request: SealedRequest, _ label: EnvelopeLabel, for version: ApplicationVersion,
        in executor: any SQLExecutor
    ) async throws -> OpenedRequest {
        let secret = try await temporary.secret(
            request.temporaryKeyID, of: .four, applicationKey: version.applicationKey, registration: nil, in: executor)
        let context = EnvelopeContext(
            secret: secret, label: label, applicationKey: version.applicationKey, applicationSecret: version.secret,
            temporaryKeyID: request.temporaryKeyID)
        return try open(request, [context])
    }

    /// In activation scope. Where the protocol's documents and its SDK differ in a label, either opens.
    func open(
        _ request: SealedRequest, _ labels: [EnvelopeLabel], for version: ApplicationVersion,
        registration id: String, keys: () async throws -> AgreedKeys, in executor: any SQLExecutor
    ) async throws -> OpenedRequest {
        let secret = try await temporary.secret(
            request.temporaryKeyID, of: .four, applicationKey: version.applicationKey, registration: id, in: executor)
        let sharedInfo2 = try await keys().activation.sharedInfo2
        let contexts = try labels.map {
            try EnvelopeContext(
                secret: secret, label: $0, applicationKey: version.applicationKey, applicationSecret: version.secret,
                temporaryKeyID: request.temporaryKeyID, activationID: id, sharedInfo2: sharedInfo2)
        }
        return try open(request, contexts)
    }

    private func open(
        _ request: SealedRequest, _ contexts: [EnvelopeContext]
    ) throws(PowerAuthRefusal) -> OpenedRequest {
        var refusal = PowerAuthRefusal.macMismatch
        for context in contexts {
            let plaintext: [UInt8]
            do { plaintext = try context.open(request) } catch {
                refusal = error
                continue
            }
            try request.checkTime(clock.now())
            return OpenedRequest(plaintext: plaintext, request: request, context: context)
        }
        throw refusal
    }

    /// True once, until it is too old by its own time.
    func claim(_ opened: OpenedRequest, in executor: any SQLExecutor) async throws -> Bool {
        let end = Milliseconds.date(opened.request.timestamp).addingTimeInterval(
            TimeInterval(Envelope.maximumAge + 60))
        return try await oneTime.claim(
            opened.request.replayName, namespace: SealedRequestOpener.namespace, expires: end,
            in: executor is Database ? nil : executor)
    }

    func seal(_ response: JSONValue, to opened: OpenedRequest) throws(PowerAuthRefusal) -> PowerAuthAnswer {
        let sealed = try opened.context.seal(
            response.bytes, answering: opened.request, timestamp: Milliseconds.of(clock.now()))
        return PowerAuthAnswer(status: 200, body: sealed.json)
    }
}
