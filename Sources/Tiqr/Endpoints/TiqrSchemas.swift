import Base
import HTTP

/// What `/openapi.yaml` tells of tiqr: the phone's side, the back office, pictures and landing pages
/// (design/backoffice.md, tiqr).
extension EndpointShape {
    // MARK: Phones

    static let tiqrMetadata = EndpointShape(
        query: ["enrollment_key!"], answer: "TiqrMetadata", about: "Once: whoever looks has used the key up.",
        meanings: ["enrollment_key": "From the link."], security: [], errors: [404])

    static let tiqrEnrollment = tiqrPhone("TiqrRegistration", query: ["enrollment_secret"])
    static let tiqrAuthentication = tiqrPhone("TiqrResponse", query: [])

    private static func tiqrPhone(_ body: String, query: [String]) -> EndpointShape {
        EndpointShape(
            query: query, headers: ["X-TIQR-Protocol-Version"], body: body, answer: "TiqrAnswer",
            about: "The status is 200 whatever became of it: phones look at the body. JSON for protocol 2, else words.",
            meanings: [
                "X-TIQR-Protocol-Version": "2 for JSON.", "enrollment_secret": "From the metadata.",
            ],
            bodyType: formType, otherTypes: ["text/plain": "TiqrWord"], security: [],
            others: [.oauthError(400), .oauthError(413), .oauthError(503)])
    }

    static let tiqrLogo = EndpointShape(answer: "Picture", answerType: "image/png", security: [], others: [])

    static let tiqrOwnLogo = EndpointShape(
        answer: "Picture", answerType: "image/png", otherTypes: ["image/jpeg": "Picture"], security: [], errors: [404])

    static let tiqrLanding = EndpointShape(
        answer: "Page", about: "Where a link leads that was opened in a browser in place of the app.",
        answerType: "text/html", security: [], others: [.pageError])

    // MARK: Back office

    static func ofTiqr(
        query: [String] = [], body: String? = nil, answer: String? = nil, status: Int = 200,
        isBodyNeeded: Bool = true, others: [OtherAnswer] = [],
        errors: [Int] = []
    ) -> EndpointShape {
        EndpointShape(
            query: query, headers: [proof], body: body, answer: answer, status: status,
            meanings: [proof: proofMeaning, "after": "`next` of the page before."], isBodyNeeded: isBodyNeeded,
            answerHeaders: status == 201 ? ["Location": "Where it can be read."] : [:],
            others: others + [.oauthError], errors: errors)
    }

    /// It may be held until what it tells is another.
    static func tiqrWatched(_ answer: String) -> EndpointShape {
        EndpointShape(
            headers: [proof, "Prefer", "If-None-Match"], answer: answer,
            meanings: [proof: proofMeaning, "Prefer": "`wait=30`: seconds for which the answer may be held."],
            answerHeaders: ["ETag": "Of the state.", "Preference-Applied": "Where one was."],
            others: [.unchanged, .oauthError])
    }

    static func tiqrPicture(_ type: String) -> EndpointShape {
        EndpointShape(
            query: ["k", "link:=custom|universal"], headers: [proof], answer: "Picture",
            meanings: ["k": "The key that the addresses of pictures have; a token does as well."], answerType: type,
            security: [[], [.bearer], [.dpop]], errors: [404, 409])
    }
}

extension OpenAPISchema {
    static let tiqr: [OpenAPISchema] =
        ofPhones.exemplified(by: TiqrExamples.phones) + ofOffice.exemplified(by: TiqrExamples.backOffice)

    private static let ofPhones = [
        OpenAPISchema("Picture", "The bytes of a picture.", type: "string"),
        OpenAPISchema(
            "TiqrMetadata", "What a phone enrolls for.",
            ["service:object!": "Name, addresses and suite.", "identity:object!": "Whose it is to be."]),
        OpenAPISchema(
            "TiqrRegistration", "",
            [
                "secret": "Hexadecimal.", "language": "", "notificationType": "Where pushes go, and how.",
                "notificationAddress": "", "version": "", "operation": "`register`.",
            ]),
        OpenAPISchema(
            "TiqrResponse", "",
            [
                "sessionKey": "From the challenge.", "userId": "", "response": "By OCRA (RFC 6287).", "language": "",
                "notificationType": "", "notificationAddress": "", "operation": "`login`.",
            ]),
        OpenAPISchema(
            "TiqrAnswer", "",
            [
                "responseCode:integer!": "1: done. 101, 201 to 205: it is refused.", "message": "",
                "attemptsLeft:integer": "", "duration:integer": "Minutes.",
            ], example: ["responseCode": 201, "attemptsLeft": 2]),
        OpenAPISchema("TiqrWord", "`OK`, or why not.", type: "string", example: "OK"),
    ]

    private static let ofOffice = [
        OpenAPISchema(
            "NewTiqrIdentifier", "",
            [
                "identifier!": "A host name.", "display_name!": "", "suite!": "RFC 6287.",
                "logo": "PNG or JPEG in base64, at most 250 by 250 pixels.", "info_url": "",
                "enroll_scheme": "Of its app; with `auth_scheme`.", "auth_scheme": "",
                "link_base": "https and the host of the app's universal links: the identifier or below it.",
            ],
            example: [
                "identifier": "id.example.org", "display_name": "Example", "suite": "OCRA-1:HOTP-SHA1-6:QH10-S",
            ]),
        OpenAPISchema(
            "TiqrIdentifier", "",
            [
                "identifier!": "", "display_name!": "", "suite!": "", "default:boolean!": "Taken where none is named.",
                "used:boolean!": "Its name and logo stay.", "retired:boolean!": "No more phones enroll under it.",
                "logo_url": "", "info_url": "", "enroll_scheme": "Of its app.", "auth_scheme": "",
                "link_base": "Where universal links begin.", "app": "What people call its app.",
            ]),
        OpenAPISchema("TiqrIdentifiers", "", ["identifiers:[TiqrIdentifier]!": ""]),
        OpenAPISchema("TiqrPictures", "", ["png!": "", "svg!": ""]),
        OpenAPISchema(
            "NewTiqrEnrollment", "",
            [
                "display_name!": "", "identifier": "", "external_id": "The caller's own name for the person.",
                "expires_in:integer": "Seconds, 1 to 3600.",
            ], example: ["display_name": "Ada Keller"]),
        OpenAPISchema(
            "StartedTiqrEnrollment", "",
            [
                "id!": "", "status!": "", "identity!": "", "enroll_url!": "", "universal_link!": "",
                "metadata_url!": "", "qr:TiqrPictures!": "", "expires_at!": "RFC 3339.",
            ]),
        OpenAPISchema(
            "TiqrEnrollment", "",
            [
                "id!": "", "status:=initialized|retrieved|finalized|validated|expired|cancelled!": "", "identity!": "",
                "expires_at!": "RFC 3339.",
            ]),
        OpenAPISchema(
            "NewTiqrAuthentication", "",
            [
                "identity": "Whom; anybody where it is left out.", "identifier": "", "service_provider": "",
                "return_url": "Where the app leads back to.", "push:boolean": "",
                "expires_in:integer": "Seconds, 1 to 600.",
            ], example: ["push": true]),
        OpenAPISchema(
            "StartedTiqrAuthentication", "",
            [
                "id!": "", "status!": "", "auth_url!": "", "universal_link!": "", "qr:TiqrPictures!": "",
                "push:=none|queued|no_address!": "", "expires_at!": "RFC 3339.",
            ]),
        OpenAPISchema(
            "TiqrAuthentication", "",
            [
                "id!": "", "status:=pending|authenticated|expired|cancelled|failed!": "", "identity": "",
                "external_id": "", "method:=online|otp": "", "authenticated_at": "RFC 3339.",
                "expires_at!": "RFC 3339.",
            ]),
        OpenAPISchema("TiqrTyped", "", ["otp!": "", "identity": ""], example: ["otp": "123456"]),
        OpenAPISchema(
            "TiqrAttempt", "",
            [
                "error!": "", "error_description!": "", "attempts_left:integer": "With `invalid_otp`.",
                "duration:integer": "With `account_blocked`, in minutes.",
                "scope": "With `insufficient_scope`, the one that it takes.",
            ]),
        OpenAPISchema("TiqrBlock", "", ["minutes:integer": "For good where it is left out."], example: ["minutes": 15]),
        OpenAPISchema(
            "TiqrIdentity", "",
            [
                "identity!": "", "identifier!": "", "display_name!": "", "external_id": "",
                "status:=new|active|blocked!": "", "attempts_left:integer!": "", "blocked_until": "RFC 3339.",
                "suite!": "", "push:boolean!": "", "notification_type": "", "created_at!": "RFC 3339.",
                "last_login_at": "RFC 3339.",
            ]),
        OpenAPISchema("TiqrIdentities", "", ["identities:[TiqrIdentity]!": "", "next": "For `after`."]),
    ]
}
