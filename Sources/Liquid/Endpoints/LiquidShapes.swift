import HTTP
import SocketIO

/// What `/openapi.yaml` tells of liquid's endpoints (`LiquidRoutes`, `SignallingRoutes`, `LiquidDocuments`):
/// parameters, bodies, and answers with their schemas.
extension EndpointShape {
    private static let anyone: [[OpenAPISecurity]] = [[.wallet], []]
    private static let setsCookie = [
        "Set-Cookie": "`connect.sid`, where it changes: for whoever came without one, and when a while has passed."
    ]
    private static let entersCookie = ["Set-Cookie": "`connect.sid` of the session that begins. The old one is over."]

    // MARK: Registering and logging in

    static let attestationRequest = EndpointShape(
        body: "WalletNewPasskey", answer: "WalletCreationOptions", status: 201,
        about:
            """
            Hand the options to browser or system, let the account sign the bytes of `challenge`, and send both to \
            `/attestation/response` in the same session.
            """,
        isBodyNeeded: true, answerHeaders: setsCookie, security: anyone,
        others: [OtherAnswer("501", "`extensions.liquid` is not `true`", "WalletRefusal"), OtherAnswer.tooMany] + always
    )

    static let attestationResponse = EndpointShape(
        body: "WalletRegistration", answer: "Wallet", status: 201,
        about: """
            The first passkey of an address is registered by the account's signature alone. Further ones need a \
            session that one of its passkeys has opened as well. \
            Who sends `requestId` logs in the page that shows it.
            """,
        isBodyNeeded: true, answerHeaders: entersCookie, security: [[.wallet]],
        others: [
            OtherAnswer(
                "401",
                "No challenge of this session, no extension `liquid`, or something in the answer is wrong: begin again",
                "WalletRefusal"),
            OtherAnswer.tooMany,
        ] + always)

    static let assertionRequest = EndpointShape(
        body: "WalletLogin", answer: "PasskeyRequestOptions", status: 201,
        about: "Any passkey of a wallet that the browser or system finds for this RP may answer.",
        answerHeaders: setsCookie, security: anyone, others: [OtherAnswer.tooMany] + always)

    static let assertionRequestOfOne = EndpointShape(
        body: "WalletLogin", answer: "PasskeyRequestOptions", status: 201, about: "That one alone may answer.",
        meanings: ["credential": "The credential id, base64url without padding."], answerHeaders: setsCookie,
        security: anyone,
        others: [OtherAnswer("401", "Nobody has this passkey", "WalletRefusal"), OtherAnswer.tooMany] + always)

    static let assertionResponse = EndpointShape(
        body: "WalletAssertion", answer: "Wallet", status: 201,
        about: "Who sends `requestId` logs in the page that shows it.", isBodyNeeded: true,
        answerHeaders: entersCookie, security: [[.wallet]],
        others: [
            OtherAnswer(
                "401",
                """
                No challenge of this session, nobody has this passkey, or something in the answer is wrong: begin \
                again
                """,
                "WalletRefusal")
        ] + always)

    // MARK: Session

    static let walletUser = EndpointShape(
        answer: "Wallet", answerHeaders: setsCookie, security: [[.wallet]], others: unread)

    static let walletSession = EndpointShape(
        answer: "WalletSessionState", answerHeaders: setsCookie, security: anyone, others: unread)

    static let walletLogout = EndpointShape(
        status: 302,
        about:
            """
            The session ends, and so do the sockets of it. Pages of other sites may lead people here, and load \
            nothing from here.
            """,
        answerHeaders: ["Location": "`/`", "Set-Cookie": "Another `connect.sid`."], security: anyone, others: unread)

    static let walletKeyRemoval = EndpointShape(
        answer: "WalletKeyRemoved",
        about:
            """
            For a session that a passkey opened, not for one that is linked. A passkey that an account is linked \
            with is unlinked there first.
            """,
        meanings: ["credential": "The credential id, base64url without padding."], answerHeaders: setsCookie,
        security: [[.wallet]],
        others: [OtherAnswer("404", "None of this wallet's passkeys has the id", "WalletKeyUnknown")] + unread)

    // MARK: Pages

    static let iceServers = EndpointShape(
        answer: "ICEServers",
        about: """
            For a session of a wallet, or one that is linked with it, and by an app token for \
            `com.liquidauth.signaling`, without a cookie. Ask before each connection, and hand \
            `iceServers` to `RTCPeerConnection` as it is. What is wrong with a token is told as OAuth does.
            """,
        answerHeaders: setsCookie, security: [[.wallet], [.bearer], [.dpop]],
        others: [OtherAnswer.tooMany, .oauthError(401)] + unread)

    static let clientScript = EndpointShape(
        answer: "Asset", answerType: "text/javascript", security: [], others: [])

    // MARK: Signalling

    private static let engine = ["EIO:=4!", "transport:=polling|websocket!", "sid"]
    private static let engineMeanings = [
        "EIO": "The protocol's version.", "transport": "How packets come.",
        "sid": "The socket, as its first packet told. Left out by who opens one.",
    ]
    private static let engineRefusals = [
        OtherAnswer("400", "No request of this protocol, or a socket that is over", "EngineRefusal"),
        OtherAnswer("403", "A page of an origin that is not listed", "EngineRefusal"),
    ]
    private static let full = OtherAnswer(
        "503", "This server has as many sockets as it takes, or no database", "EngineAway", saysWhenToRetry: true)

    static let socketOpened = EndpointShape(
        query: engine, answer: "EnginePayload",
        about: """
            Socket.IO 5 over Engine.IO 4: use a client of it. With transport websocket the answer is 101, and \
            packets are frames. Events of the namespace `/`: `link` \
            with `{"requestId": …}`, a UUID or a long number of the page's own; it is acknowledged with `{"data": \
            {"credId", "requestId", "wallet"}}` when a wallet \
            has logged in with that id. Then `offer-description`, `offer-candidate`, `answer-description` and \
            `answer-candidate` go to the other side as they \
            are; `presence` is acknowledged with `{"requestId", "deviceCount", "online"}`. An app token for \
            `com.liquidauth.signaling` opens one too, by `Authorization` or in what CONNECT shows; what is wrong with \
            it is told as OAuth does.
            """,
        meanings: engineMeanings, answerType: "text/plain",
        answerHeaders: ["Set-Cookie": "`connect.sid`, of who opens a socket."], security: anyone,
        others: [
            OtherAnswer("101", "The connection is a WebSocket from here on", nil),
            OtherAnswer("401", "A token came, and is none for this", "OAuthError"),
            OtherAnswer("426", "A version of WebSocket that is not 13", nil),
        ] + engineRefusals + [full])

    static let socketPosted = EndpointShape(
        query: ["EIO:=4!", "transport:=polling!", "sid!"], body: "EnginePayload", answer: "EngineTaken",
        meanings: engineMeanings, bodyType: "text/plain",
        isBodyNeeded: true, answerType: "text/plain", security: [],
        others: engineRefusals + [OtherAnswer("413", "More than 300,000 bytes", nil)])

    static let socketRefused = EndpointShape(
        query: engine, status: nil, meanings: engineMeanings, security: [], others: engineRefusals)

    // MARK: Documents of the host

    static let assetLinks = EndpointShape(answer: "AssetLinks", security: [], others: [])
    static let appleAppLinks = EndpointShape(answer: "AppleAppLinks", security: [], others: [])
    static let relatedOrigins = EndpointShape(answer: "RelatedOrigins", security: [], others: [])

    // MARK: What all have

    /// Browsers ask so before a page of another origin may.
    static let preflight = EndpointShape(
        headers: ["Origin"], status: 204, about: "Browsers ask so by themselves.", meanings: ["Origin": "The page's."],
        answerHeaders: [
            "Access-Control-Allow-Methods": "What may be asked.", "Access-Control-Allow-Origin": "The page's origin.",
        ], security: [],
        others: [OtherAnswer("403", "A page of an origin that is not listed", "WalletFault")])

    private static let away = OtherAnswer(
        "503", "The server cannot reach its database", "WalletFault", saysWhenToRetry: true)

    private static let unread = [
        OtherAnswer("403", "Not for this session, or a page of an origin that is not listed", "WalletFault"), away,
    ]

    /// Of those that read a body.
    private static let always = [
        OtherAnswer("400", "The body is no JSON", "WalletFault"),
        OtherAnswer("403", "A page of an origin that is not listed", "WalletFault"),
        OtherAnswer("413", "The body has more than 64 KiB", "WalletFault"), away,
    ]

    // MARK: FIDO's conformance test

    static func conformance(_ body: String, _ answer: String) -> EndpointShape {
        EndpointShape(
            body: body, answer: answer,
            about: "Only where the operator has opened it for FIDO's tool. What registers here logs in nowhere.",
            isBodyNeeded: true, answerHeaders: setsCookie, security: anyone,
            others: [OtherAnswer("400", "It is wrong, or no JSON", "ConformanceWrong")]
                + always.filter { $0.status != "400" })
    }
}

extension OtherAnswer {
    fileprivate static let tooMany = OtherAnswer(
        "429", "Too many from this address of the network", "WalletRefusal", saysWhenToRetry: true)
}

extension OpenAPISecurity {
    static let wallet = OpenAPISecurity(
        "wallet",
        [
            "type": "apiKey", "in": "cookie", "name": "connect.sid",
            "description": """
            The session of a wallet or page. The server sets it with its first answer, and another one after each \
            login: keep it as a cookie jar does.
            """,
        ])
}
