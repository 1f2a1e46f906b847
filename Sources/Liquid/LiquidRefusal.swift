import Base
import WebAuthn

/// What the routes for wallets refuse (protocols/liquid.md, 1; decisions.md, liquid 6). Each but `forbidden` has a
/// string `error`: by that alone iOS sees a failure.
public enum LiquidRefusal: Error, Equatable, Sendable, CustomStringConvertible {
    case extensionRequired
    case challengeNotFound
    case extensionNotFound
    /// `step` says which check it was: for log and tests, never on the wire.
    case verificationFailed(step: String)
    /// The kind of signature will not do here, whoever made it: a wallet can tell its owner what would. Nothing here
    /// checks such keys, or the signature must name the passkey.
    case typeUnsupported, bindingRequired
    /// A pairing: no credential of it; it was revoked; its id is taken, or no id.
    case pairingUnauthorized, pairingRevoked, pairingTaken, pairingMalformed
    /// Nobody has the credential that is asked for.
    case userNotFound
    /// Nobody has the credential that answers.
    case credentialNotFound
    /// No wallet is logged in here, or it was let in by a link where a passkey of its own is needed; or the passkey is
    /// linked with an account.
    case forbidden
    /// Of this wallet's passkeys none has the id.
    case keyNotFound
    /// From this address, for so long (`CeremonyRateLimit`).
    case tooMany(seconds: Int)

    static func refused(_ refusal: WebAuthnRefusal) -> LiquidRefusal { .verificationFailed(step: refusal.explain) }
    static func refused(_ refusal: WalletRefusal) -> LiquidRefusal {
        switch refusal {
        case .typeWithoutVerifier: .typeUnsupported
        case .bindingRequired: .bindingRequired
        default: .verificationFailed(step: refusal.rawValue)
        }
    }

    public var status: Int {
        switch self {
        case .extensionRequired: 501
        case .challengeNotFound, .extensionNotFound, .verificationFailed, .typeUnsupported, .bindingRequired,
            .userNotFound, .credentialNotFound, .pairingUnauthorized, .pairingRevoked:
            401
        case .pairingTaken: 409
        case .pairingMalformed: 400
        case .forbidden: 403
        case .keyNotFound: 404
        case .tooMany: 429
        }
    }

    /// Seconds after which it is worth another try.
    public var retryAfter: Int? {
        guard case .tooMany(let seconds) = self else { return nil }
        return seconds
    }

    /// The body, as upstream has it.
    public var json: JSONValue {
        switch self {
        case .extensionRequired: ["reason": "not_implemented", "error": .string(description)]
        case .pairingUnauthorized, .pairingRevoked, .pairingTaken, .pairingMalformed:
            ["code": .string(pairingCode), "error": .string(description)]
        case .typeUnsupported: ["reason": "type_unsupported", "error": .string(description)]
        case .bindingRequired: ["reason": "binding_required", "error": .string(description)]
        case .challengeNotFound, .extensionNotFound, .verificationFailed:
            ["reason": "unauthorized", "error": .string(description)]
        case .userNotFound, .credentialNotFound: ["reason": "not_found", "error": .string(description)]
        case .forbidden: ["message": .string(description), "error": "Forbidden", "statusCode": 403]
        case .keyNotFound: ["error": .string(description)]
        case .tooMany: ["reason": "too_many_requests", "error": .string(description)]
        }
    }

    /// What the clients of pairings look at.
    var pairingCode: String {
        switch self {
        case .pairingRevoked: "PAIRING_REVOKED"
        case .pairingTaken: "PAIRING_TAKEN"
        case .pairingMalformed: "PAIRING_MALFORMED"
        default: "PAIRING_UNAUTHORIZED"
        }
    }

    /// For the log.
    var cause: String {
        if case .verificationFailed(let step) = self { "\(description): \(step)" } else { description }
    }

    public var description: String {
        switch self {
        case .extensionRequired: "Liquid extension is required"
        case .challengeNotFound: "Challenge not found"
        case .extensionNotFound: "Liquid extension not found"
        case .verificationFailed: "User verification failed"
        case .typeUnsupported: "Keys of this type cannot be checked here: sign with one of Ed25519"
        case .pairingUnauthorized: "This is no credential of the pairing"
        case .pairingRevoked: "The pairing has been revoked"
        case .pairingTaken: "The request id is taken"
        case .pairingMalformed: "requestId must be a UUID"
        case .bindingRequired: "The signature must name the passkey: sign with a type that ends with -bound"
        case .userNotFound, .keyNotFound: "User not found"
        case .credentialNotFound: "Credential not found"
        case .forbidden: "Forbidden resource"
        case .tooMany: "Too many requests"
        }
    }
}

/// Which check of the liquid extension refused (protocols/liquid.md, 1.6; decisions.md, liquid 1 and 5).
enum WalletRefusal: String, Error, Sendable, CaseIterable {
    case typeUnknown = "liquid_type"
    /// A kind of key that wallets have, and that nothing here can check.
    case typeWithoutVerifier = "liquid_type_without_verifier"
    /// The signature is over the challenge alone, and this server wants one that names the passkey too.
    case bindingRequired = "binding_required"
    case addressMalformed = "address_malformed"
    case addressChecksum = "address_checksum"
    /// A key whose signatures anybody can make.
    case addressUnsound = "address_unsound"
    case signatureMalformed = "liquid_signature_malformed"
    case signatureMismatch = "liquid_signature_mismatch"
    /// Which key may sign for the address could not be learnt.
    case authorityUnknown = "authority_unknown"
    /// The passkey is another wallet's.
    case addressMismatch = "address_mismatch"
    /// The wallet has a passkey already, and no session that one of them opened asks for another.
    case ownershipUnproven = "ownership_unproven"
    /// More than `WalletStore.mostPasskeys`.
    case tooManyPasskeys = "too_many_passkeys"
}
