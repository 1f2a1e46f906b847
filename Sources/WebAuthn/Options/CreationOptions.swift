import Base

/// PublicKeyCredentialCreationOptionsJSON (WebAuthn, 5.4 and 5.1.3), its members in the order in which Liquid Auth
/// writes them.
public struct CreationOptions: Sendable, Equatable {
    public struct User: Sendable, Equatable {
        /// As it goes on the wire: base64url of the user handle, for Liquid the address.
        public let id: String
        public let name: String
        public let displayName: String

        public init(id: String, name: String, displayName: String) {
            self.id = id
            self.name = name
            self.displayName = displayName
        }
    }

    public let json: JSONValue

    /// `selection` and `extensions` are members as they are; absent ones are left out.
    public init(
        party: RelyingParty, user: User, challenge: [UInt8], timeout: Int, exclude: [CredentialDescriptor] = [],
        selection: JSONValue? = Optional.none, extensions: JSONValue? = Optional.none
    ) {
        var object: JSONObject = [
            "challenge": .string(Base64URL.encode(challenge)),
            "rp": ["name": .string(party.name), "id": .string(party.id)],
            "user": ["id": .string(user.id), "name": .string(user.name), "displayName": .string(user.displayName)],
            "pubKeyCredParams": .array(party.algorithms.map { ["type": "public-key", "alg": .integer($0.rawValue)] }),
            "timeout": .integer(timeout),
            "attestation": .string(party.attestation.conveyance.rawValue),
            "excludeCredentials": .array(exclude.map(\.json)),
        ]
        object["authenticatorSelection"] = selection
        object["extensions"] = extensions
        json = .object(object)
    }

    /// For passkeys that are found without a name (5.4.4).
    public static func selection(residentKey: String, _ party: RelyingParty) -> JSONValue {
        [
            "residentKey": .string(residentKey), "requireResidentKey": .bool(residentKey == "required"),
            "userVerification": .string(party.userVerification.rawValue),
        ]
    }
}

/// PublicKeyCredentialDescriptorJSON (5.8.3).
public struct CredentialDescriptor: Sendable, Equatable {
    public let id: [UInt8]
    public let transports: [String]

    public init(id: [UInt8], transports: [String] = []) {
        self.id = id
        self.transports = transports
    }

    var json: JSONValue {
        var object: JSONObject = ["id": .string(Base64URL.encode(id)), "type": "public-key"]
        if !transports.isEmpty { object["transports"] = JSONValue(strings: transports) }
        return .object(object)
    }
}
