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
}
