import Base

/// What the Mobile Token API refuses under `/api` (protocols/operations.md, 1.4; design/backoffice.md, "On the phone's
/// side"). What refused a signature or a token exactly stands in the audit trail, never on the wire.
public enum OperationsRefusal: Error, Equatable, Sendable, CustomStringConvertible {
    /// Any fault of a header, signature, token or registration.
    case authenticationFailed
    /// Malformed, or about what is not there for this phone.
    case invalidRequest(String)
    /// Counted, and not the last try.
    case operationFailed
    case alreadyFinished
    case alreadyFailed
    case alreadyCanceled
    case expired
    case requiresFlag
    case pushRegistration(String)
    case inbox(String)

    /// `code` on the wire.
    public var code: String {
        switch self {
        case .authenticationFailed: "POWERAUTH_AUTH_FAIL"
        case .invalidRequest: "INVALID_REQUEST"
        case .operationFailed: "OPERATION_FAILED"
        case .alreadyFinished: "OPERATION_ALREADY_FINISHED"
        case .alreadyFailed: "OPERATION_ALREADY_FAILED"
        case .alreadyCanceled: "OPERATION_ALREADY_CANCELED"
        case .expired: "OPERATION_EXPIRED"
        case .requiresFlag: "OPERATION_REQUIRES_ACTIVATION_FLAG"
        case .pushRegistration: "PUSH_REGISTRATION_FAILED"
        case .inbox: "INBOX_FAILED"
        }
    }

    public var status: Int {
        switch self {
        case .authenticationFailed, .operationFailed: 401
        case .invalidRequest, .alreadyFinished, .alreadyFailed, .alreadyCanceled, .expired, .requiresFlag,
            .pushRegistration, .inbox:
            400
        }
    }

    /// `message` on the wire; iOS cannot read an error without it.
    public var description: String {
        switch self {
        case .authenticationFailed: "the signature or token was refused"
        case .invalidRequest(let text), .pushRegistration(let text), .inbox(let text): text
        case .operationFailed: "the operation was not approved"
        case .alreadyFinished: "the operation is approved or rejected already"
        case .alreadyFailed: "the operation has failed: there were too many attempts"
        case .alreadyCanceled: "the operation was canceled"
        case .expired: "the operation has expired"
        case .requiresFlag: "the operation needs a registration with another flag"
        }
    }

    public var json: JSONValue {
        ["status": "ERROR", "responseObject": ["code": .string(code), "message": .string(description)]]
    }
}
