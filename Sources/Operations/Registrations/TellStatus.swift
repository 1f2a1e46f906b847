import Base
import PowerAuth

/// POST activation/status (protocols/operations.md, 4.7). Who has not the transport key cannot tell a registration that
/// is there from one that is not: the answer looks alike, and takes the same work.
struct TellStatus: Sendable {
    private static let decoy = (own: PowerAuthKeyPair.fresh(), peer: PowerAuthKeyPair.fresh().public33)

    let parts: PowerAuthServices

    func answer(_ request: PowerAuthRequest) async throws -> PowerAuthAnswer {
        let (id, challenge) = try await PhoneRefusal.turning(.activation, .activation) {
            let object = try RequestObject.read(request.body)
            guard let id = object["activationId"]?.string, id.utf8.count <= 64, let text = object["challenge"]?.string,
                let challenge = Base64Text.decode(text, count: 16)
            else { throw PowerAuthRefusal.bodyMalformed }
            return (id, challenge)
        }
        let registration = try await parts.registrations.find(id, in: parts.database),
            nonce = parts.randomness.bytes(16)
        let blob = try self.blob(registration, challenge, nonce)
        return .ok([
            "activationId": .string(id), "encryptedStatusBlob": .string(Base64Text.encode(blob)),
            "nonce": .string(Base64Text.encode(nonce)),
        ])
    }

    private func blob(_ registration: PhoneRegistration?, _ challenge: [UInt8], _ nonce: [UInt8]) throws -> [UInt8] {
        guard let registration, let exchange = registration.exchange else {
            let keys = try ActivationKeys(own: TellStatus.decoy.own, peer: TellStatus.decoy.peer)
            _ = try seal(.removed, 0, 0, 0, 0, .three, .fresh(parts.randomness), keys, challenge, nonce)
            return StatusBlob.noise(parts.randomness)
        }
        return try seal(
            registration.state, exchange.counterByte, registration.failed, registration.maximumFailed,
            registration.lookAhead, registration.upgradeVersion, exchange.counter,
            try parts.keys.keys(of: registration), challenge, nonce)
    }

    private func seal(
        _ state: ActivationState, _ counterByte: Int, _ failed: Int, _ maximum: Int, _ lookAhead: Int,
        _ upgradeVersion: PhoneProtocol, _ counter: HashCounter, _ keys: ActivationKeys,
        _ challenge: [UInt8], _ nonce: [UInt8]
    ) throws -> [UInt8] {
        let hash = try StatusBlob.counterHash(counter, transport: keys.transport)
        let blob = StatusBlob(
            state: state, counterByte: UInt8(clamping: counterByte), failed: UInt8(clamping: failed),
            maximumFailed: UInt8(clamping: maximum),
            lookAhead: UInt8(clamping: lookAhead), counterHash: hash,
            upgradeVersion: upgradeVersion.number)
        return try blob.seal(
            challenge: challenge, nonce: nonce, filler: parts.randomness.bytes(5), transport: keys.transport)
    }
}
