import Base

/// Using a credential (WebAuthn, 7.2).
public enum AuthenticationCeremony {
    /// The id under which to look the credential up; `verify` reads the rest.
    public static func credentialID(_ json: JSONValue) throws(WebAuthnRefusal) -> [UInt8] {
        try CredentialResponse(json).id
    }

    /// Everything but what only a store knows: that the challenge is this session's and unused, and who has the
    /// credential.
    ///
    /// Consume the challenge before, whatever comes of it. Read, verify and write `AssertionOutcome` under one lock of
    /// the credential's row (A11).
    public static func verify(
        _ json: JSONValue, challenge: [UInt8], credential: KnownCredential, party: RelyingParty,
        allowed: Set<[UInt8]>? = nil, userHandle: UserHandleRule = .ignored
    ) throws(WebAuthnRefusal) -> AssertionOutcome {
        let response = try CredentialResponse(json)
        let clientData = try response.bytes("clientDataJSON"), bytes = try response.bytes("authenticatorData"),
            signature = try response.bytes("signature")
        guard response.id == credential.id else { throw .credentialUnknown }
        guard allowed?.contains(response.id) ?? true else { throw .credentialNotAllowed }
        try userHandle.check(response.response["userHandle"])
        try ClientData(clientData).check(.get, challenge: challenge, party)

        let data = try AuthenticatorData(bytes)
        try data.check(party)
        guard credential.key.verifies(signature, of: bytes + Digest.sha256(clientData)) else {
            throw .signatureMismatch
        }
        let counts = data.counter != 0 || credential.counter != 0
        return AssertionOutcome(
            newCount: data.counter, counterRegressed: counts && data.counter <= credential.counter,
            userVerified: data.flags.contains(.userVerified), backupEligible: data.flags.contains(.backupEligible),
            backedUp: data.flags.contains(.backedUp),
            eligibilityChanged: data.flags.contains(.backupEligible) != credential.backupEligible)
    }
}

/// What is stored of a credential.
public struct KnownCredential: Sendable, Equatable {
    public let id: [UInt8]
    public let key: COSEKey
    public let counter: UInt32
    public let backupEligible: Bool

    public init(id: [UInt8], key: COSEKey, counter: UInt32, backupEligible: Bool) {
        self.id = id
        self.key = key
        self.counter = counter
        self.backupEligible = backupEligible
    }
}

/// What an assertion that is right says. Nothing of it is stored yet.
public struct AssertionOutcome: Sendable, Equatable {
    public let newCount: UInt32
    /// One of both counters is not zero and the new one is not greater (6.1.1): perhaps a clone. Do not store
    /// `newCount` then, or a clone that is behind would lower it.
    public let counterRegressed: Bool
    public let userVerified: Bool
    public let backupEligible: Bool
    public let backedUp: Bool
    /// To be logged and not to be refused (A6): wallets in use clear the flag.
    public let eligibilityChanged: Bool
}

/// A3: what is demanded of `response.userHandle`.
public enum UserHandleRule: Sendable, Equatable {
    /// Wallets of Liquid write anything. It must be a string all the same.
    case ignored
    /// The user is known: when it is there, it is this one.
    case matching([UInt8])
    /// The credential alone says who it is.
    case required([UInt8])

    func check(_ value: JSONValue?) throws(WebAuthnRefusal) {
        guard let value, value != .null else {
            if case .required = self { throw .userHandleMissing }
            return
        }
        guard let text = value.string else { throw .userHandleMalformed }
        switch self {
        case .ignored: return
        case .matching(let handle), .required(let handle):
            guard let bytes = Base64URL.decode(text), (1...64).contains(bytes.count) else { throw .userHandleMalformed }
            guard ConstantTime.equal(bytes, handle) else { throw .userHandleMismatch }
        }
    }
}
