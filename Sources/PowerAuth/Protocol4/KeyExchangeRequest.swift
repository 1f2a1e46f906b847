import Base

/// What a phone of protocol 4 sends to have keys: inside the inner envelope of `/pa/v4/activation/create`, and in that
/// of `/pa/v4/upgrade/start` for a registration of protocol 3 (protocols/powerauth4.md). Other members are the
/// caller's.
public struct KeyExchangeRequest: Equatable, Sendable {
    public let sharedSecret: SharedSecretRequest
    public let deviceKeys: HybridPublicKey
    /// Asked for by upgrades; activations ask when they are confirmed.
    public let enablesBiometry: Bool

    public init(sharedSecret: SharedSecretRequest, deviceKeys: HybridPublicKey, enablesBiometry: Bool = false) {
        self.sharedSecret = sharedSecret
        self.deviceKeys = deviceKeys
        self.enablesBiometry = enablesBiometry
    }

    /// `plaintextMalformed` for what is no such request; keys of another suite than the secret's are
    /// `publicKeyMalformed`.
    public init(json: JSONValue) throws(PowerAuthRefusal) {
        guard let secret = json["sharedSecretRequest"], let keys = json["devicePublicKeys"] else {
            throw .plaintextMalformed
        }
        var enables = false
        if let member = json["enableBiometry"], member != .null {
            guard let value = member.bool else { throw .plaintextMalformed }
            enables = value
        }
        let request = try SharedSecretRequest(json: secret)
        self.init(
            sharedSecret: request, deviceKeys: try HybridPublicKey(request.algorithm, json: keys),
            enablesBiometry: enables)
    }

    public var members: JSONObject {
        var members: JSONObject = ["sharedSecretRequest": sharedSecret.json, "devicePublicKeys": deviceKeys.json]
        if enablesBiometry { members["enableBiometry"] = true }
        return members
    }
}

/// The server's answer, around which an activation has its identifier.
public struct KeyExchangeResponse: Equatable, Sendable {
    public let sharedSecret: SharedSecretResponse
    public let serverKeys: HybridPublicKey
    public let counter: HashCounter

    public init(sharedSecret: SharedSecretResponse, serverKeys: HybridPublicKey, counter: HashCounter) {
        self.sharedSecret = sharedSecret
        self.serverKeys = serverKeys
        self.counter = counter
    }

    /// The phone's side; `algorithm` is the one that it asked for.
    public init(json: JSONValue, _ algorithm: SharedSecretAlgorithm) throws(PowerAuthRefusal) {
        guard let secret = json["sharedSecretResponse"], let keys = json["serverPublicKeys"],
            let text = json["ctrData"]?.string, let counter = Base64Text.decode(text, count: 32)
        else { throw .plaintextMalformed }
        self.init(
            sharedSecret: try SharedSecretResponse(json: secret),
            serverKeys: try HybridPublicKey(algorithm, json: keys), counter: try HashCounter(counter))
    }

    public var members: JSONObject {
        [
            "sharedSecretResponse": sharedSecret.json, "serverPublicKeys": serverKeys.json,
            "ctrData": .string(Base64Text.encode(counter.bytes)),
        ]
    }
}
