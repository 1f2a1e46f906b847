import Base
import HTTP
import Passkeys
import SocketIO
import WebAuthn

/// What wallets and pages of Liquid Auth ask and are answered, by name (protocols/liquid.md, 1; decisions.md, liquid).
/// What a passkey itself says stands in `PasskeySchemas`.
extension OpenAPISchema {
    static let liquid: [OpenAPISchema] = [registering, loggingIn, session, relays, refusals, documents, signalling]
        .flatMap {
            $0
        }

    // MARK: Registering

    private static let registering: [OpenAPISchema] = [
        OpenAPISchema(
            "WalletNewPasskey",
            "A wallet wants to register a passkey. Members that are of no use here are passed over.",
            [
                "username": "The wallet's Algorand address; pages that do not know it leave it out.",
                "displayName": "What is shown where a passkey is chosen.",
                "authenticatorSelection:object":
                    """
                Which authenticators may answer, as WebAuthn has it. `userVerification` is `required` whatever \
                stands here.
                """,
                "attestationType:any": "Not looked at.",
                "extensions:WalletExtensions!": "Without it the answer is 501.",
            ], example: LiquidExamples.newPasskey),
        OpenAPISchema(
            "WalletExtensions", "The extension that is Liquid Auth's.",
            [
                "liquid:=true!": "",
                "liquidTypes:[string]": "What the server takes for `type` of the signature, the safest first.",
            ]),
        OpenAPISchema(
            "WalletCreationOptions",
            """
            What the new passkey is asked: PublicKeyCredentialCreationOptionsJSON. The wallet's account signs the \
            bytes of the challenge too; they begin with no domain \
            tag of Algorand, so that wallets may.
            """, first: passkeyCreation,
            [
                "authenticatorSelection:PasskeySelection!": "", "extensions:WalletExtensions!": "",
            ], example: LiquidExamples.creationOptions),
        OpenAPISchema(
            "WalletRegistration",
            "A new passkey, and the account's signature: RegistrationResponseJSON with the extension `liquid`.",
            [
                "id!": "The credential id, base64url.", "rawId!": "The same.", "type:=public-key!": "",
                "response:PasskeyRegistrationResponse!": "",
                "clientExtensionResults:WalletRegistrationResults!": "",
                "device": "What the wallet runs on; 100 letters of it are kept.",
            ], example: LiquidExamples.registration),
        OpenAPISchema("WalletRegistrationResults", "What extensions say.", ["liquid:WalletSignature!": ""]),
        OpenAPISchema(
            "WalletSignature", "The account's word on a challenge.",
            [
                "type:=algorand|algorand-bound|solana|solana-bound!":
                    "The chain, and what is signed: the challenge alone, or what the passkey is as well.",
                "address!":
                    """
                The Algorand address, 58 letters of base32 with the right checksum; or that of Solana, base58 of the \
                key.
                """,
                "publicKey": "Of Solana: the key once more, base64url or base58.",
                "signature!":
                    """
                base64url of 64 bytes, Ed25519: over the 32 bytes of the challenge as they are, without prefix or \
                hash; of bound types over `liquid bound 1`, a zero byte, and SHA-256 of these: SHA-256 of the RP ID, \
                the challenge, SHA-256 of the credential id.
                """,
                "requestId:string,number":
                    """
                What the page's QR code names, in the type of JSON that the page gave it: the page is linked \
                with the session that begins.
                """,
                "device": "What the wallet runs on, where it is not told beside the response.",
            ]),
    ]

    // MARK: Relays

    private static let relays: [OpenAPISchema] = [
        OpenAPISchema(
            "ICEServers", "Ways to the other side; none where this server knows none.",
            ["iceServers!:[ICEServer]": "", "ttl:integer!": "Seconds for which the credentials are good."],
            example: LiquidExamples.iceServers),
        OpenAPISchema(
            "ICEServer", "RTCIceServer of WebRTC. STUN has no credentials.",
            [
                "urls!:[string]": "", "username": "The time at which it ends, a colon, and the session.",
                "credential": "base64 of HMAC-SHA-1 of the username.",
            ]),
    ]

    // MARK: Logging in

    private static let loggingIn: [OpenAPISchema] = [
        OpenAPISchema(
            "WalletLogin", "May be left out: nothing of it changes what is asked. What is no JSON is 400 all the same.",
            [
                "extensions:any": "`true`, `{\"liquid\": true}` or nothing, as SDKs differ.",
                "userVerification:any": "Always `required`.",
                "authenticatorSelection:any": "Not looked at.",
            ], example: ["extensions": true]),
        OpenAPISchema(
            "WalletAssertion",
            """
            A passkey's answer: AuthenticationResponseJSON. Other members, such as `userHandle` at the top, are not \
            looked at.
            """,
            [
                "id!": "The credential id, base64url.", "rawId!": "The same.", "type:=public-key!": "",
                "response:PasskeyAssertionResponse!": "",
                "clientExtensionResults:WalletAssertionResults": "",
            ], example: LiquidExamples.assertion),
        OpenAPISchema("WalletAssertionResults", "What extensions say.", ["liquid:WalletClaims": ""]),
        OpenAPISchema(
            "WalletClaims",
            """
            At a login the account need not sign. Where `address` or `signature` is there, both and `type` must be \
            right, and the address that of the passkey.
            """,
            [
                "requestId:string,number":
                    """
                What the page's QR code names, in the type of JSON that the page gave it: the page is linked \
                with the session that begins.
                """,
                "type:=algorand": "", "address": "", "signature": "", "device": "Not looked at here.",
            ]),
    ]

    // MARK: Session

    private static let session: [OpenAPISchema] = [
        OpenAPISchema(
            "Wallet", "A wallet that is known here. It never has a member `error`.",
            [
                "id!": "32 random bytes that stand for it, base64url.", "wallet!": "Its address.",
                "pairing:PairingIssued": "Where its request id was an invitation: the wallet's side of that pairing.",
                "credentials:[WalletPasskey]!": "Its passkeys, oldest first; 20 at most.",
            ], example: LiquidExamples.wallet),
        OpenAPISchema(
            "WalletPasskey", "A passkey of a wallet.",
            [
                "device!": "What the wallet said that it runs on; empty where it said nothing.",
                "publicKey!": "COSE_Key in CBOR, base64url.",
                "credId!": "The credential id, base64url.",
                "prevCounter:integer!": "The highest signature counter that was seen.",
            ]),
        OpenAPISchema(
            "WalletSessionState", "The session that asks.",
            [
                "user:Wallet?!": "Null where no wallet is logged in.", "session:WalletSession!": "",
            ], example: LiquidExamples.session),
        OpenAPISchema(
            "WalletSession", "Without members where no wallet is logged in; never a challenge.",
            [
                "wallet": "The address.",
                "credId:string?": "The passkey that let the session in, or the one that it is linked with.",
                "expiresAt": "RFC 3339: when it ends if nobody uses it.",
            ]),
        OpenAPISchema(
            "WalletKeyRemoved", "The passkey is gone, and so are the sessions that it let in.", ["success:=true!": ""],
            example: ["success": true]),
    ]

    // MARK: Refusals

    private static let refusals: [OpenAPISchema] = [
        OpenAPISchema(
            "WalletRefusal", "By the string `error` alone SDKs of iOS see that something failed.",
            [
                "reason:=unauthorized|not_found|not_implemented|type_unsupported|binding_required|too_many_requests!":
                    "A word for programs.",
                "error!": "A sentence; which check it was is in the server's log alone.",
            ], example: ["reason": "unauthorized", "error": "User verification failed"]),
        OpenAPISchema(
            "WalletFault", "What HTTP itself refuses, who may not, and what is the server's fault.",
            [
                "message!": "A sentence.", "error!": "The name of the status.", "statusCode:integer!": "The status.",
            ], example: ["message": "Forbidden resource", "error": "Forbidden", "statusCode": 403]),
        OpenAPISchema(
            "WalletKeyUnknown", "None of this wallet's passkeys has the id.",
            ["error!": "Not the passkey's name: a sentence."],
            example: ["error": "User not found"]),
    ]

    // MARK: Documents of the host

    private static let documents: [OpenAPISchema] = [
        OpenAPISchema(
            "AssetLinks",
            "Digital Asset Links: the host itself and each Android app that belongs to it; empty where there is none.",
            type: "[AssetLink]"),
        OpenAPISchema(
            "AssetLink", "What somebody may do.", ["relation:[string]!": "", "target:AssetLinkTarget!": ""],
            example: LiquidExamples.assetLink),
        OpenAPISchema(
            "AssetLinkTarget", "A web site by `site`, or an app by the other two.",
            [
                "namespace:=web|android_app!": "", "site": "The host's URL.", "package_name": "The app.",
                "sha256_cert_fingerprints:[string]": "Of each certificate that signs the app.",
            ]),
        OpenAPISchema(
            "AppleAppLinks", "Apple's apps that may use passkeys of this host.", ["webcredentials:AppleApps!": ""],
            example: ["webcredentials": ["apps": ["TEAMID1234.org.example.wallet"]]]),
        OpenAPISchema("AppleApps", "A list of apps.", ["apps:[string]!": "`TEAMID.bundle.id` of each."]),
        OpenAPISchema(
            "RelatedOrigins", "WebAuthn Level 3, 5.11: web origins that may use this host's RP ID.",
            ["origins:[string]!": ""],
            example: ["origins": ["https://idp.example"]]),
    ]

    // MARK: Signalling

    private static let signalling: [OpenAPISchema] = [
        OpenAPISchema(
            "EnginePayload", "Packets of Engine.IO 4, a digit and its text each, with U+001E between them.",
            type: "string", example: "42[\"presence\",{}]"),
        OpenAPISchema("EngineTaken", "The packets were taken.", type: "=ok"),
        OpenAPISchema(
            "EngineRefusal", "As the reference server refuses.",
            [
                "code:integer!":
                    """
                0 transport unknown, 1 session unknown, 2 bad method, 3 bad request, 4 forbidden, 5 unsupported \
                version.
                """,
                "message!": "A sentence.",
            ], example: ["code": 1, "message": "Session ID unknown"]),
        OpenAPISchema(
            "EngineAway", "As many sockets as there may be; or, as OAuth has it, a database that is away.",
            type: "EngineRefusal/OAuthError"),
    ]
}
