import Base

/// What stands in `/openapi.yaml` to look at; nothing of it verifies.
public enum PasskeyExamples {
    private static let credential: JSONValue = "dGhlIGlkIG9mIGEgcGFzc2tleQ"
    private static let challenge: JSONValue = "q83vASNFZ4mrze8BI0VniavN7wEjRWeJq83vASNFZ4k"

    public static let requestOptions: JSONValue = [
        "challenge": challenge, "allowCredentials": [["id": credential, "type": "public-key"]], "timeout": 1_800_000,
        "userVerification": "required",
        "rpId": "idp.example",
    ]

    public static let creationOptions: JSONValue = [
        "challenge": challenge, "rp": ["name": "Pando", "id": "idp.example"],
        "user": ["id": "dGhlIHBlcnNvbiwgMzIgcmFuZG9tIGJ5dGVzLi4uLi4", "name": "ada", "displayName": "Ada Keller"],
        "pubKeyCredParams": [["type": "public-key", "alg": -7], ["type": "public-key", "alg": -257]],
        "timeout": 300_000, "attestation": "none", "excludeCredentials": [],
        "authenticatorSelection": ["userVerification": "required", "residentKey": "required"],
        "extensions": ["credProps": true],
    ]

    public static let registrationResponse: JSONValue = [
        "clientDataJSON": clientData, "attestationObject": "o2NmbXRkbm9uZQ", "transports": ["internal"],
    ]
    public static let assertionResponse: JSONValue = [
        "clientDataJSON": clientData, "authenticatorData": "YXV0aGVudGljYXRvcg", "signature": "c2lnbmF0dXJl",
    ]

    static let registration: JSONValue = [
        "id": credential, "rawId": credential, "type": "public-key", "response": registrationResponse,
    ]
    static let assertion: JSONValue = [
        "id": credential, "rawId": credential, "type": "public-key", "response": assertionResponse,
    ]

    private static let clientData: JSONValue = "eyJ0eXBlIjoi4oCmIn0"

    /// Members of forms and questions by their names (`OpenAPIExamples`).
    static let people: JSONObject = [
        "form_token": "dGhlIGZvcm0", "PasskeyAsking.return_to": "/account",
        "PasskeyLoginForm.request": "dGhlIHJlcXVlc3Q",
        "attempt": "dGhlIGF0dGVtcHQ", "PasskeySetupForm.return_to": "/account", "PasskeySetupForm.name": "Pixel 8",
        "PasskeyLoginForm.answer": .string(assertion.text), "PasskeyLinkForm.answer": .string(assertion.text),
        "PasskeySetupForm.answer": .string(registration.text),
    ]
}
