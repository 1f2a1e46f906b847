import Base
import HTTP
import Passkeys

/// What stands in `/openapi.yaml` for wallets to look at; nothing of it verifies.
enum LiquidExamples {
    private static let address: JSONValue = "VCMJKWOY5P5P7SKMZFFOCEROPJCZOTIJMNIYNUCKH7LRO45JMJP6UYBIJA"
    private static let credential: JSONValue = "dGhlIGlkIG9mIGEgcGFzc2tleQ"
    private static let requestID: JSONValue = "019a9f5e-6c1d-7c3a-9b0e-2f4d6a8c0e12"
    private static let challenge: JSONValue = "q83vASNFZ4mrze8BI0VniavN7wEjRWeJq83vASNFZ4k"
    private static let clientData: JSONValue = "eyJ0eXBlIjoi4oCmIn0"

    static let iceServers: JSONValue = [
        "iceServers": [
            ["urls": ["stun:turn.example.org:3478"]],
            [
                "urls": ["turn:turn.example.org:3478?transport=udp"],
                "username": "1795000000:Zm9yIGEgd2FsbGV0LCAzMi", "credential": "p1cUHoScYwmY4VWjDvSVuoK8yTw=",
            ],
        ], "ttl": 3600,
    ]

    static let newPasskey: JSONValue = [
        "username": address, "displayName": "My wallet", "authenticatorSelection": ["userVerification": "required"],
        "extensions": ["liquid": true],
    ]

    static let creationOptions: JSONValue = [
        "challenge": challenge, "rp": ["name": "Pando", "id": "idp.example"],
        "user": ["id": address, "name": address, "displayName": "My wallet"],
        "pubKeyCredParams": [
            ["type": "public-key", "alg": -7], ["type": "public-key", "alg": -8], ["type": "public-key", "alg": -257],
        ],
        "timeout": 1_800_000, "attestation": "none", "excludeCredentials": [],
        "authenticatorSelection": ["userVerification": "required"],
        "extensions": ["liquid": true],
    ]

    private static let signed: JSONValue = [
        "type": "algorand", "address": address, "signature": "c2lnbmF0dXJl", "requestId": requestID,
    ]

    static let registration: JSONValue = [
        "id": credential, "rawId": credential, "type": "public-key",
        "response": ["clientDataJSON": clientData, "attestationObject": "o2NmbXRkbm9uZQ"],
        "clientExtensionResults": ["liquid": signed], "device": "Pixel 8",
    ]

    static let assertion: JSONValue = [
        "id": credential, "rawId": credential, "type": "public-key",
        "response": [
            "clientDataJSON": clientData, "authenticatorData": "YXV0aGVudGljYXRvcg", "signature": "c2lnbmF0dXJl",
        ],
        "clientExtensionResults": ["liquid": ["requestId": requestID]],
    ]

    static let wallet: JSONValue = [
        "id": "Zm9yIGEgd2FsbGV0LCAzMiByYW5kb20gYnl0ZXMuLi4", "wallet": address,
        "credentials": [["device": "Pixel 8", "publicKey": "pQECAyYgASFYIA", "credId": credential, "prevCounter": 0]],
    ]

    static let session: JSONValue = [
        "user": wallet, "session": ["wallet": address, "credId": credential, "expiresAt": "2026-12-06T12:00:00Z"],
    ]

    private static let time: JSONValue = "2026-12-06T12:00:00Z"

    /// Members of pairings and of people's credentials by their names (`OpenAPIExamples`).
    static let members: JSONObject = [
        "requestId": requestID, "version": 2, "pairingId": requestID, "PairingIssued.role": "controller",
        "Pairing.role": "controller", "Pairing.status": "active", "PairingIssued.credential": "dGhlIGNyZWRlbnRpYWw",
        "Pairing.wallet": address, "expiresAt": time, "code": "PAIRING_UNAUTHORIZED",
        "PairingRefusal.error": "This is no credential of the pairing", "PersonCredential.id": credential,
        "name": "Pixel 8", "kind": "passkey", "alg": -7, "PersonCredential.backed_up": true, "created_at": time,
        "last_used_at": time,
    ]

    /// Members of FIDO's conformance test.
    static let conformance: JSONObject = [
        "username": "ada", "displayName": "Ada", "attestation": "none", "ConformanceFailure.errorMessage": "challenge",
        "errorMessage": "", "id": credential, "rawId": credential, "getClientExtensionResults": [:],
        "challenge": challenge, "rp": ["name": "Pando", "id": "idp.example"],
        "user": ["id": "YWRh", "name": "ada", "displayName": "Ada"],
        "pubKeyCredParams": [["type": "public-key", "alg": -7]], "timeout": 300_000, "excludeCredentials": [],
        "allowCredentials": [["id": credential, "type": "public-key"]], "userVerification": "required",
        "rpId": "idp.example", "ConformanceRegistration.response": PasskeyExamples.registrationResponse,
        "ConformanceAssertion.response": PasskeyExamples.assertionResponse,
    ]

    static let assetLink: JSONValue = [
        "relation": ["delegate_permission/common.handle_all_urls", "delegate_permission/common.get_login_creds"],
        "target": [
            "namespace": "android_app", "package_name": "org.example.wallet",
            "sha256_cert_fingerprints": ["00:01:02:1E:1F"],
        ],
    ]
}
