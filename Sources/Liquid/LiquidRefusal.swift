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
    static func refused(_ refusal: WalletRefusal) -> LiquidRefusal { .verificationFailed(step: refusal.rawValue) }

    public var status: Int {
        switch self {
        case .extensionRequired: 501
        case .challengeNotFound, .extensionNotFound, .verificationFailed, .userNotFound, .credentialNotFound: 401
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
        case .challengeNotFound, .extensionNotFound, .verificationFailed:
            ["reason": "unauthorized", "error": .string(description)]
        case .userNotFound, .credentialNotFound: ["reason": "not_found", "error": .string(description)]
        case .forbidden: ["message": .string(description), "error": "Forbidden", "statusCode": 403]
        case .keyNotFound: ["error": .string(description)]
        case .tooMany: ["reason": "too_many_requests", "error": .string(description)]
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
