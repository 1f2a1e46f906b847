import Base
import PowerAuth

/// A request under `/pa/v3` or `/pa/v4`, as far as this room reads it.
public struct PowerAuthRequest: Sendable {
    /// `X-PowerAuth-Authorization`.
    public let authorization: String?
    /// `X-PowerAuth-Encryption`.
    public let encryption: String?
    /// The bytes as they came: signatures cover them.
    public let body: [UInt8]
    /// Address it came from.
    public let origin: String?

    public init(authorization: String? = nil, encryption: String? = nil, body: [UInt8], origin: String? = nil) {
        (self.authorization, self.encryption, self.body, self.origin) = (authorization, encryption, body, origin)
    }
}

/// What the phone is told: status and JSON, for refusals too.
public struct PowerAuthAnswer: Sendable, Equatable {
    public let status: Int
    public let body: JSONValue
    /// Seconds after which it is worth asking again; of 429 alone.
    public var retryAfter: Int? = nil

    /// `{"status":"OK","responseObject":…}`.
    static func ok(_ object: JSONValue? = Optional.none) -> PowerAuthAnswer {
        var members: JSONObject = ["status": "OK"]
        if let object { members["responseObject"] = object }
        return PowerAuthAnswer(status: 200, body: .object(members))
    }

    /// More was asked for than is given.
    static func tooMany(_ error: PowerAuthError, seconds: Int) -> PowerAuthAnswer {
        let message = "too many were asked for; try again in \(seconds) seconds"
        return PowerAuthAnswer(
            status: 429,
            body: [
                "status": "ERROR", "responseObject": ["code": .string(error.rawValue), "message": .string(message)],
            ],
            retryAfter: seconds)
    }

    /// An encrypted response stands bare.
    static func sealed(_ data: SealedData) -> PowerAuthAnswer { PowerAuthAnswer(status: 200, body: data.json) }
}

/// The codes of `/pa` (protocols/operations.md, 4.10): all that a phone hears of a refusal.
public enum PowerAuthError: String, Sendable, CaseIterable {
    case authentication = "ERR_AUTHENTICATION"
    case activation = "ERR_ACTIVATION"
    case encryption = "ERR_ENCRYPTION"
    case secureVault = "ERR_SECURE_VAULT"
    case temporaryKey = "ERR_TEMPORARY_KEY"
    case userInfo = "ERR_USER_INFO"
    case upgrade = "ERR_UPGRADE"
    case recovery = "ERR_RECOVERY"
    case request = "INVALID_REQUEST"

    public var status: Int {
        switch self {
        case .authentication: 401
        case .activation, .encryption, .secureVault, .temporaryKey, .userInfo, .upgrade, .recovery, .request: 400
        }
    }

    var message: String {
        switch self {
        case .authentication: "the signature was refused"
        case .activation: "the activation was refused"
        case .encryption: "the request cannot be decrypted"
        case .secureVault: "the vault stays locked"
        case .temporaryKey: "the temporary key was refused"
        case .userInfo: "there is no user information"
        case .upgrade: "there is no older protocol to upgrade from"
        case .recovery: "recovery codes are not offered"
        case .request: "the body cannot be read"
        }
    }

    public var answer: PowerAuthAnswer {
        PowerAuthAnswer(
            status: status,
            body: ["status": "ERROR", "responseObject": ["code": .string(rawValue), "message": .string(message)]])
    }
}

/// A refusal on its way to the door: what goes on the wire, and the step that stays here.
struct PhoneRefusal: Error {
    let error: PowerAuthError
    let step: PowerAuthRefusal
    /// Whose trail it belongs to.
    var about: PhoneRegistration? = nil
    /// The check has written it already.
    var isWritten = false
    var subject = RefusalTrail.Subject.activation

    /// `body`, whose refusals go out as `error`. Everything else, a database that does not answer above all, passes
    /// through.
    static func turning<Value>(
        _ error: PowerAuthError, _ subject: RefusalTrail.Subject, about registration: PhoneRegistration? = nil,
        _ body: () async throws -> Value
    ) async throws -> Value {
        do { return try await body() } catch let step as PowerAuthRefusal {
            throw PhoneRefusal(error: error, step: step, about: registration, subject: subject)
        }
    }
}

/// `{"requestObject": {…}}`; unknown members are ignored.
enum RequestObject {
    static func read(_ body: [UInt8]) throws(PowerAuthRefusal) -> JSONObject {
        guard let json = try? JSONReader.read(body, depth: 8), let object = json["requestObject"]?.object else {
            throw .bodyMalformed
        }
        return object
    }
}
