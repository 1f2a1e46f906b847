import Base
import HTTP
import Passkeys

/// What FIDO's conformance test sends and gets.
extension OpenAPISchema {
    private static let fine: Members = [("status:=ok!", ""), ("errorMessage!", "Empty.")]

    private static let ofTool: Members = [
        ("id!", "The credential id, base64url."), ("rawId", "The same; the tool leaves it out."),
        ("type:=public-key!", ""),
    ]

    static let conformance: [OpenAPISchema] = [
        OpenAPISchema(
            "ConformanceCreation", "A user of the test, who is to get a passkey.",
            [
                "username!": "1 to 64 bytes.", "displayName": "",
                "authenticatorSelection:object": "Comes back as it is; its `userVerification` counts.",
                "attestation:=none|indirect|direct|enterprise": "`none` where it is left out.",
                "extensions:object": "Comes back as it is.",
            ]),
        OpenAPISchema(
            "ConformanceRequest", "A user of the test, whose passkey is to be used.",
            [
                "username!": "1 to 64 bytes.",
                "userVerification:=required|preferred|discouraged": "`preferred` where it is left out.",
                "extensions:object": "Comes back as it is.",
            ]),
        OpenAPISchema(
            "ConformanceCreationOptions", "What the passkey is asked.", first: fine + passkeyCreation,
            [
                "authenticatorSelection:object": "As it was sent.", "extensions:object": "As they were sent.",
            ]),
        OpenAPISchema(
            "ConformanceRequestOptions", "What the passkey is asked.", first: fine + passkeyRequest,
            ["extensions:object": "As they were sent."]),
        OpenAPISchema(
            "ConformanceRegistration", "A new passkey, as the tool writes it.", first: ofTool,
            [
                "response:PasskeyRegistrationResponse!": "", "getClientExtensionResults:any": "",
                "clientExtensionResults:any": "",
            ]),
        OpenAPISchema(
            "ConformanceAssertion", "A passkey's answer, as the tool writes it; an empty `userHandle` counts as none.",
            first: ofTool,
            [
                "response:PasskeyAssertionResponse!": "", "getClientExtensionResults:any": "",
                "clientExtensionResults:any": "",
            ]),
        OpenAPISchema("ConformanceDone", "It is right.", first: fine, [:]),
        OpenAPISchema(
            "ConformanceFailure", "It is not.",
            ["status:=failed!": "", "errorMessage!": "Which check it was, in a word."]),
        OpenAPISchema(
            "ConformanceWrong", "Of a body that is no JSON as of wallets.", type: "ConformanceFailure/WalletFault"),
    ].exemplified(by: LiquidExamples.conformance)
}
