import Base

/// What `/v2` refuses (design/backoffice.md, "operations"). The code on the wire, and the status, by exhaustive
/// switches.
public enum BackOfficeRefusal: Error, Equatable, Sendable, CustomStringConvertible {
    case request(String)
    /// What is there already: the one refusal that is not 400.
    case conflict(String)
    case registrationNotFound
    case registrationNotAllowed(String)
    case registrationChange(String)
    case operationNotFound
    case operationStateChange(String)
    case invalidOTP(String)
    case templateNotFound
    case applicationNotFound
    case callbackNotFound

    /// `code` on the wire.
    public var code: String {
        switch self {
        case .request, .conflict: "ERROR_REQUEST"
        case .registrationNotFound: "ERROR_REGISTRATION_NOT_FOUND"
        case .registrationNotAllowed: "ERROR_REGISTRATION_NOT_ALLOWED"
        case .registrationChange: "ERROR_REGISTRATION_CHANGE"
        case .operationNotFound: "ERROR_OPERATION_NOT_FOUND"
        case .operationStateChange: "ERROR_OPERATION_STATE_CHANGE"
        case .invalidOTP: "ERROR_OTP_INVALID"
        case .templateNotFound: "ERROR_TEMPLATE_NOT_FOUND"
        case .applicationNotFound: "ERROR_APPLICATION_NOT_FOUND"
        case .callbackNotFound: "ERROR_CALLBACK_NOT_FOUND"
        }
    }

    public var status: Int {
        switch self {
        case .conflict: 409
        case .request, .registrationNotFound, .registrationNotAllowed, .registrationChange, .operationNotFound,
            .operationStateChange, .invalidOTP,
            .templateNotFound, .applicationNotFound, .callbackNotFound:
            400
        }
    }

    /// `message` on the wire.
    public var description: String {
        switch self {
        case .request(let text), .conflict(let text), .registrationNotAllowed(let text), .registrationChange(let text),
            .operationStateChange(let text),
            .invalidOTP(let text):
            text
        case .registrationNotFound: "there is no such registration"
        case .operationNotFound: "there is no such operation"
        case .templateNotFound: "there is no such template"
        case .applicationNotFound: "there is no such application"
        case .callbackNotFound: "there is no such callback"
        }
    }

    public var json: JSONValue {
        ["status": "ERROR", "responseObject": ["code": .string(code), "message": .string(description)]]
    }
}
