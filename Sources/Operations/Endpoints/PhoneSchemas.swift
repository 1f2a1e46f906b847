import Base
import HTTP
import PowerAuth

/// What `/openapi.yaml` tells of the phone's side of operations (protocols/operations.md, 1 and 4): one envelope for
/// all, by bytes that signatures cover.
extension EndpointShape {
    private static let encryption = EncryptionHeader.name
    private static let errors = [
        OtherAnswer("400", "It is refused: `code` says why", "OperationsError"),
        OtherAnswer("401", "The signature or the token is refused", "OperationsError"),
        OtherAnswer("413", "More than 64 KiB", "OperationsError"),
        OtherAnswer("503", "Not now", "OperationsError", saysWhenToRetry: true),
    ]

    /// Under `/pa/v3` and `/pa/v4`: what is needed of signature and encryption depends on the endpoint.
    static let powerAuth = EndpointShape(
        headers: [encryption], body: "PowerAuthQuestion", answer: "PowerAuthAnswer",
        meanings: [encryption: "Where the body is encrypted."],
        security: [[.powerAuthSignature], []], others: errors)

    /// `keystore/create` of `/pa/v4`.
    static let temporaryKeys = EndpointShape(
        headers: [encryption], body: "PowerAuthQuestion", answer: "PowerAuthAnswer",
        meanings: [encryption: "Where the body is encrypted."], security: [[.powerAuthSignature], []],
        others: errors + [
            OtherAnswer(
                "429", "Too many of one application from this address", "OperationsError", saysWhenToRetry: true)
        ])

    static let powerAuthRefused = EndpointShape(
        body: "PowerAuthQuestion", status: nil, security: [], others: errors.filter { $0.status != "401" })

    /// Under `/api`.
    static func mobileToken(_ body: String, isSigned: Bool) -> EndpointShape {
        EndpointShape(
            headers: ["Accept-Language"], body: body, answer: "PhoneAnswer",
            meanings: ["Accept-Language": "Of what is shown."], isBodyNeeded: true,
            security: [[isSigned ? .powerAuthSignature : .powerAuthToken]], others: errors)
    }
}

extension OpenAPISecurity {
    static let powerAuthSignature = OpenAPISecurity(
        "powerAuthSignature", ["type": "apiKey", "in": "header", "name": .string(SignatureHeader.name)])
    static let powerAuthToken = OpenAPISecurity(
        "powerAuthToken", ["type": "apiKey", "in": "header", "name": .string(TokenHeader.name)])
}

extension OpenAPISchema {
    private static func asked(
        _ name: String, _ about: String, _ members: KeyValuePairs<String, String>
    ) -> [OpenAPISchema] {
        [
            OpenAPISchema(name, about, ["requestObject!:\(name)Object": ""]),
            OpenAPISchema(name + "Object", "", members),
        ]
    }

    static let phones = ofPhones.exemplified(by: OperationsExamples.phones)

    private static let ofPhones: [OpenAPISchema] =
        [
            OpenAPISchema(
                "PowerAuthQuestion", "Plain in `requestObject`, or encrypted, as the SDK sends it.", type: "object",
                example: OperationsExamples.question),
            OpenAPISchema(
                "PowerAuthAnswer", "Plain in `responseObject`, or encrypted.",
                type: "PowerAuthPlainAnswer/PowerAuthSealedAnswer"),
            OpenAPISchema("PowerAuthPlainAnswer", "", ["status:=OK!": "", "responseObject:any": ""]),
            OpenAPISchema(
                "PowerAuthSealedAnswer", "For whoever asked: ECIES, or of protocol 4, which has no `mac` apart.",
                ["encryptedData!": "", "mac": "", "nonce": "", "timestamp:integer": "Milliseconds."]),
            OpenAPISchema(
                "PhoneAnswer", "",
                [
                    "status:=OK!": "", "responseObject:any": "",
                    "currentTimestamp:any": "Of lists and single operations.",
                ]),
            OpenAPISchema("PhoneQuestion", "Nothing is asked for.", ["requestObject:object?": ""], example: [:]),
        ] + asked("PhoneSubject", "An operation or message.", ["id!": ""])
        + asked(
            "PhoneApproval", "",
            ["id!": "", "data!": "As it was shown.", "proximityCheck:object?": "", "mobileTokenData:object?": ""])
        + asked("PhoneRejection", "", ["id!": "", "reason": "", "mobileTokenData:object?": ""])
        + asked("PushRegistration", "", ["platform!": "", "token!": "", "environment:string?": ""])
        + asked("InboxQuestion", "", ["page:integer": "", "size:integer": "", "onlyUnread:boolean": ""])
}
