import Base

/// PublicKeyCredentialRequestOptionsJSON (WebAuthn, 5.5), its members in the order in which Liquid Auth writes them.
public struct RequestOptions: Sendable, Equatable {
    public let json: JSONValue

    /// An empty `allow` asks for any credential of the relying party.
    public init(
        party: RelyingParty, challenge: [UInt8], timeout: Int, allow: [CredentialDescriptor] = [],
        extensions: JSONValue? = Optional.none
    ) {
        var object: JSONObject = [
            "challenge": .string(Base64URL.encode(challenge)),
            "allowCredentials": .array(allow.map(\.json)),
            "timeout": .integer(timeout),
            "userVerification": .string(party.userVerification.rawValue),
            "rpId": .string(party.id),
        ]
        object["extensions"] = extensions
        json = .object(object)
    }
}
