import Base
import HTTP
import HTTPTypes
import Hummingbird
import PowerAuth

/// What a phone asks, exactly as the SDK calls it (protocols/operations.md, 1.2 and 4): POST, JSON, the bytes of the
/// body as they came, for signatures cover them. What refuses it is told by `OperationsErrors`.
enum OperationsPhoneRoutes {
    /// `path` is the service's base below this host's root.
    static func endpoints(_ doors: OperationsEndpoints, path: String) -> [Endpoint] {
        powerAuth(doors.powerAuth, path: path + "/pa/v3/")
            + PowerAuthFourRoutes.endpoints(doors.powerAuth, path: path + "/pa/v4/")
            + mobileToken(doors.operations, path: path + "/api/")
    }

    // MARK: PowerAuth

    private static func powerAuth(_ service: PowerAuthService, path: String) -> [Endpoint] {
        var endpoints: [Endpoint] = []
        for endpoint in PowerAuthEndpoint.allCases {
            guard let words = what(endpoint) else { continue }
            endpoints.append(
                Endpoint(.post, path + endpoint.rawValue, "operations: \(words)") { request, context in
                    let asked = try await powerAuthRequest(request, origin: context.peer)
                    return answer(try await service.answer(endpoint, asked))
                }.telling(.powerAuth))
        }
        endpoints.append(refused(path + "upgrade/**", .upgrade, "refused: there is no older protocol"))
        endpoints.append(refused(path + "recovery/**", .recovery, "refused: there are no recovery codes"))
        return endpoints
    }

    /// `nil` for what is refused whole, whatever stands behind it.
    private static func what(_ endpoint: PowerAuthEndpoint) -> String? {
        switch endpoint {
        case .status: "the server's time"
        case .temporaryKey: "a temporary key for encryption"
        case .activationCreate: "a phone activates itself by a code"
        case .activationStatus: "how an activation stands, encrypted"
        case .activationRemove: "a phone removes its activation"
        case .tokenCreate: "a token to read with"
        case .tokenRemove: "removes a token"
        case .vaultUnlock: "the key of the phone's vault"
        case .signatureValidate: "whether a signature is right"
        case .userInfo: "whose phone it is, encrypted"
        case .upgradeStart, .upgradeCommit, .recoveryConfirm: nil
        }
    }

    private static func refused(_ path: String, _ error: PowerAuthError, _ what: String) -> Endpoint {
        Endpoint(.post, path, "operations: \(what)") { request, _ in
            _ = try await BodyReading.bytes(request)
            return answer(error.answer)
        }.telling(.powerAuthRefused)
    }

    static func powerAuthRequest(_ request: Request, origin: String?) async throws -> PowerAuthRequest {
        PowerAuthRequest(
            authorization: header(.powerAuthAuthorization, request),
            encryption: header(.powerAuthEncryption, request), body: try await BodyReading.bytes(request),
            origin: origin)
    }

    static func answer(_ answer: PowerAuthAnswer) -> Response {
        var headers = HTTPFields()
        if let seconds = answer.retryAfter { headers[.retryAfter] = String(seconds) }
        return Answer.json(answer.body, status: .init(code: answer.status), headers: headers)
    }

    // MARK: Mobile Token API

    private typealias Call = @Sendable (OperationsService, PhoneRequest) async throws -> JSONValue

    private static let calls: [(path: String, what: String, body: String, isSigned: Bool, call: Call)] = [
        (
            "auth/token/app/operation/list", "what waits for this phone's user", "PhoneQuestion", false,
            { try await $0.list($1) }
        ),
        ("auth/token/app/operation/detail", "one operation", "PhoneSubject", false, { try await $0.detail($1) }),
        (
            "auth/token/app/operation/detail/claim", "takes an operation that is nobody's", "PhoneSubject", false,
            { try await $0.claim($1) }
        ),
        (
            "auth/token/app/operation/history", "operations of every status", "PhoneQuestion", true,
            { try await $0.history($1) }
        ),
        (
            "auth/token/app/operation/authorize", "approves an operation", "PhoneApproval", true,
            { try await $0.authorize($1) }
        ),
        (
            "auth/token/app/operation/cancel", "rejects an operation", "PhoneRejection", true,
            { try await $0.reject($1) }
        ),
        (
            "push/device/register/token", "where this phone takes pushes", "PushRegistration", false,
            { try await $0.registerPush($1) }
        ),
        (
            "push/device/register", "where this phone takes pushes", "PushRegistration", false,
            { try await $0.registerPush($1) }
        ),
        ("inbox/count", "unread messages", "PhoneQuestion", false, { try await $0.countMessages($1) }),
        ("inbox/message/list", "messages, by pages", "InboxQuestion", false, { try await $0.messages($1) }),
        ("inbox/message/detail", "one message", "PhoneSubject", false, { try await $0.message($1) }),
        ("inbox/message/read", "marks a message as read", "PhoneSubject", false, { try await $0.readMessage($1) }),
        (
            "inbox/message/read-all", "marks all messages as read", "PhoneQuestion", false,
            { try await $0.readAllMessages($1) }
        ),
    ]

    private static func mobileToken(_ service: OperationsService, path: String) -> [Endpoint] {
        calls.map { entry in
            let call = entry.call
            return Endpoint(.post, path + entry.path, "operations: \(entry.what)") { request, context in
                let asked = PhoneRequest(
                    authorization: header(.powerAuthAuthorization, request), token: header(.powerAuthToken, request),
                    body: try await BodyReading.bytes(request), language: request.headers[.acceptLanguage],
                    origin: context.peer)
                return Answer.json(try await call(service, asked))
            }.telling(.mobileToken(entry.body, isSigned: entry.isSigned))
        }
    }

    /// A field that comes twice is handed on with a letter between that no such header has: one of them would be read
    /// by us, the other by whoever stands in front of us.
    private static func header(_ name: HTTPField.Name, _ request: Request) -> String? {
        let values = request.headers[values: name]
        return values.isEmpty ? nil : values.joined(separator: "\n")
    }
}

extension HTTPField.Name {
    static let powerAuthAuthorization = HTTPField.Name(SignatureHeader.name) ?? .server
    static let powerAuthToken = HTTPField.Name(TokenHeader.name) ?? .server
    static let powerAuthEncryption = HTTPField.Name(EncryptionHeader.name) ?? .server
}
