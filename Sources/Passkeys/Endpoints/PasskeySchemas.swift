import Base
import HTTP

/// What a passkey is asked and answers, in the JSON of WebAuthn Level 3 (5.1, 5.4, 5.5, 5.8), for wallets and for the
/// people of this IdP.
extension OpenAPISchema {
    public static let passkeys: [OpenAPISchema] =
        [parts, questions, answers, ofPeople].flatMap { $0 }.exemplified(by: PasskeyExamples.people)

    private static let parts: [OpenAPISchema] = [
        OpenAPISchema(
            "PasskeyParty", "Whom a passkey is for.",
            ["name!": "What people are shown.", "id!": "The RP ID: a domain name."]),
        OpenAPISchema(
            "PasskeyUser", "Whose passkey it is to be.",
            [
                "id!":
                    """
                The user handle: base64url of 32 bytes. For a wallet the `username` that it sent, as it is,
                    where it sent one.
                """,
                "name!": "What is shown where a passkey is chosen.", "displayName!": "The same, for reading.",
            ]),
        OpenAPISchema(
            "PasskeyAlgorithm", "A kind of key that is taken.",
            [
                "type:=public-key!": "", "alg:integer!": "Its number in COSE: -7 is ES256, -8 EdDSA, -257 RS256.",
            ]),
        OpenAPISchema(
            "PasskeyDescriptor", "A passkey by its id.",
            [
                "id!": "The credential id, base64url.", "type:=public-key!": "",
                "transports:[string]":
                    """
                How it can be reached, as its registration told. Left out where nobody told, and
                    where a wallet logs in.
                """,
            ]),
        OpenAPISchema(
            "PasskeySelection", "Which authenticators may answer.",
            [
                "userVerification:=required|preferred|discouraged!": "Always `required`, whatever was asked for.",
                "authenticatorAttachment:=platform|cross-platform": "", "requireResidentKey:boolean": "",
                "residentKey:=required|preferred|discouraged": "",
            ]),
        OpenAPISchema(
            "PasskeyRegistrationResponse", "What an authenticator signs for a new passkey.",
            [
                "clientDataJSON!": "base64url.", "attestationObject!": "base64url.",
                "transports:[string]": "How the authenticator can be reached: a hint that is kept.",
            ]),
        OpenAPISchema(
            "PasskeyAssertionResponse", "What a passkey signs.",
            [
                "clientDataJSON!": "base64url.", "authenticatorData!": "base64url.",
                "signature!": "base64url; of ES256 in DER.",
                "userHandle:string?":
                    """
                base64url. A passkey of a person that was not asked for by its id must tell it; of wallets it is \
                not looked at.
                """,
            ]),
    ]

    private static let onceOnly =
        """
        32 bytes, base64url. Good for one answer, in this session; any answer uses it up, and a newer one takes its \
        place.
        """

    /// The members of creation options but for the two that differ.
    public static let passkeyCreation: Members = [
        ("challenge!", onceOnly), ("rp:PasskeyParty!", ""), ("user:PasskeyUser!", ""),
        ("pubKeyCredParams:[PasskeyAlgorithm]!", "The favourite first."),
        ("timeout:integer!", "Milliseconds until the challenge is over."),
        ("attestation:=none|indirect|direct|enterprise!", "What the authenticator is to tell of itself."),
        ("excludeCredentials:[PasskeyDescriptor]!", "Those that are there already."),
    ]

    public static let passkeyRequest: Members = [
        ("challenge!", onceOnly),
        ("allowCredentials:[PasskeyDescriptor]!", "Those that may answer; empty: any of this RP."),
        ("timeout:integer!", "Milliseconds until the challenge is over."),
        ("userVerification:=required|preferred|discouraged!", "`required`, but for the conformance test."),
        ("rpId!", "The RP ID."),
    ]

    private static let questions: [OpenAPISchema] = [
        OpenAPISchema(
            "PasskeyCreationOptions",
            "What a new passkey of a person is asked: PublicKeyCredentialCreationOptionsJSON.", first: passkeyCreation,
            [
                "authenticatorSelection:PasskeySelection!": "", "extensions:object!": "`{\"credProps\": true}`.",
            ], example: PasskeyExamples.creationOptions),
        OpenAPISchema(
            "PasskeyRequestOptions", "What a passkey is asked: PublicKeyCredentialRequestOptionsJSON.",
            first: passkeyRequest, [:],
            example: PasskeyExamples.requestOptions),
    ]

    private static let answers: [OpenAPISchema] = [
        OpenAPISchema(
            "PasskeyRegistration",
            "What browser or system give for a new passkey: RegistrationResponseJSON. Other members are not looked at.",
            [
                "id!": "The credential id, base64url.", "rawId!": "The same.", "type:=public-key!": "",
                "response:PasskeyRegistrationResponse!": "",
                "clientExtensionResults:object": "",
            ], example: PasskeyExamples.registration),
        OpenAPISchema(
            "PasskeyAssertion",
            """
            What browser or system give when a passkey is used: AuthenticationResponseJSON. Other members are not \
            looked at.
            """,
            [
                "id!": "The credential id, base64url.", "rawId!": "The same.", "type:=public-key!": "",
                "response:PasskeyAssertionResponse!": "",
                "clientExtensionResults:object": "",
            ], example: PasskeyExamples.assertion),
    ]

    // MARK: People, in browsers

    private static let place: Members = [
        ("form_token!", "As it stands in the page."), ("request", "The authorization request that waits."),
        ("return_to", "Or the page of ours to go on to."),
    ]

    private static let ofPeople: [OpenAPISchema] = [
        OpenAPISchema(
            "PasskeyAsking", "The form by which our own page asks for a question.", first: place,
            [
                "own": "Of who is logged in: only their own passkeys may answer.",
                "attempt": "The attempt that an earlier question opened, to go on with it.",
            ]),
        OpenAPISchema(
            "PasskeyLoginAsked", "A question, and the attempt that its answer completes.",
            [
                "attempt!": "To be sent with the answer.", "options:PasskeyRequestOptions!": "",
            ]),
        OpenAPISchema("PasskeySetupAsked", "A question for a new passkey.", ["options:PasskeyCreationOptions!": ""]),
        OpenAPISchema("PasskeyQuestion", "A question for a passkey.", ["options:PasskeyRequestOptions!": ""]),
        OpenAPISchema(
            "PasskeyLoginForm", "The form that logs in.", first: place,
            [
                "attempt": "As the question told it.",
                "answer:<PasskeyAssertion>": "Left out where the question was refused: the page says why.",
            ]),
        OpenAPISchema(
            "PasskeySetupForm", "The form that sets up a passkey.", first: place,
            [
                "name": "What the person calls it; 100 letters of it are kept.",
                "answer:<PasskeyRegistration>": "Left out where the question was refused: the page says why.",
            ]),
        OpenAPISchema(
            "PasskeyLinkForm", "The form that links a wallet's passkey with the account.", first: place,
            [
                "answer:<PasskeyAssertion>": "Left out where the question was refused: the page says why."
            ]),
    ]
}
