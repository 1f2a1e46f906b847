import Base
import Liquid

/// A wallet as far as the wire can tell (protocols/liquid.md, 2): an Algorand account, a passkey without attestation,
/// and the cookie that makes it somebody.
public struct DemoWallet: Sendable {
    /// User present and verified, backup eligible and backed up: a passkey that its owner's devices share.
    private static let flags: UInt8 = 0x1D
    private static let attested: UInt8 = 0x40

    private let keys = WalletKeys()
    private let host: String
    public private(set) var cookie: String?

    /// `host`: origin of the server; the routes of wallets stand at its root.
    public init(host: String) { self.host = host }

    public var address: String { keys.address }
    /// As the iOS kit makes it.
    public var credentialID: [UInt8] { Digest.sha256(keys.point.x + keys.point.y) }
    public var credential: String { Base64URL.encode(credentialID) }

    /// The session changes with every login.
    public mutating func remember(_ exchange: DemoExchange) {
        if let fresh = exchange.cookie("connect.sid") { cookie = fresh }
    }

    public func ask(_ method: String, _ path: String, _ body: JSONValue? = Optional.none) -> DemoRequest {
        var request = DemoRequest(method: method, url: host + path)
        if let cookie { request.headers = [(name: "Cookie", value: "connect.sid=\(cookie)")] }
        if let body { request.body = .json(body) }
        return request
    }

    // MARK: Registering

    public func askToRegister() -> DemoRequest {
        ask(
            "POST", "/attestation/request",
            [
                "username": .string(address), "displayName": "Demo wallet",
                "authenticatorSelection": ["userVerification": "required"],
                "extensions": ["liquid": true],
            ])
    }

    /// `nil` for options that a wallet would not answer.
    public func register(_ options: JSONValue, requestID: String?) throws -> DemoRequest? {
        guard let challenge = options["challenge"]?.string.flatMap({ Base64URL.decode($0) }), challenge.count == 32,
            let party = options["rp"]?["id"]?.string
        else {
            return nil
        }
        let client = clientData("webauthn.create", challenge, party)
        let object = attestationObject(party)
        var extensions: JSONObject = [
            "type": "algorand", "address": .string(address),
            "signature": .string(Base64URL.encode(try keys.signedByAccount(challenge))),
            "device": "Demo wallet",
        ]
        if let requestID { extensions["requestId"] = .string(requestID) }
        return ask(
            "POST", "/attestation/response",
            answer(
                [
                    "clientDataJSON": .string(Base64URL.encode(client)),
                    "attestationObject": .string(Base64URL.encode(object)),
                ],
                extensions))
    }

    // MARK: Logging in

    public func askToLogIn() -> DemoRequest { ask("POST", "/assertion/request/\(credential)", [:]) }

    public func logIn(_ options: JSONValue) throws -> DemoRequest? {
        guard let challenge = options["challenge"]?.string.flatMap({ Base64URL.decode($0) }),
            let party = options["rpId"]?.string
        else { return nil }
        let client = clientData("webauthn.get", challenge, party), about = authenticatorData(party, DemoWallet.flags)
        let signature = try keys.signedByPasskey(about + Digest.sha256(client))
        return ask(
            "POST", "/assertion/response",
            answer(
                [
                    "clientDataJSON": .string(Base64URL.encode(client)),
                    "authenticatorData": .string(Base64URL.encode(about)),
                    "signature": .string(Base64URL.encode(signature)),
                ], [:]))
    }

    // MARK: Parts

    private func answer(_ response: JSONObject, _ liquid: JSONObject) -> JSONValue {
        [
            "id": .string(credential), "rawId": .string(credential), "type": "public-key",
            "response": .object(response),
            "clientExtensionResults": liquid.isEmpty ? [:] : ["liquid": .object(liquid)],
        ]
    }

    /// Apps of phones say the relying party's own origin (protocols/liquid.md, 1.5).
    private func clientData(_ type: String, _ challenge: [UInt8], _ party: String) -> [UInt8] {
        let data: JSONValue = [
            "type": .string(type), "challenge": .string(Base64URL.encode(challenge)),
            "origin": .string("https://\(party)"), "crossOrigin": false,
        ]
        return data.bytes
    }

    /// CBOR of `{"fmt": "none", "attStmt": {}, "authData": …}`, and in it of the key (RFC 9053, 7.1.1).
    private func attestationObject(_ party: String) -> [UInt8] {
        var data = authenticatorData(party, DemoWallet.flags | DemoWallet.attested)
        data += [UInt8](repeating: 0, count: 16)
        data += [0, 32]
        data += credentialID
        data += [0xA5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20]
        data += keys.point.x
        data += [0x22, 0x58, 0x20]
        data += keys.point.y
        var object: [UInt8] = [0xA3]
        for word in ["fmt", "none", "attStmt"] { object += [0x60 | UInt8(word.utf8.count)] + Array(word.utf8) }
        object += [0xA0, 0x68]
        object += "authData".utf8
        object += [0x58, UInt8(data.count)]
        return object + data
    }

    /// WebAuthn, 6.1. The counter stays zero, as that of passkeys does that several devices share.
    private func authenticatorData(_ party: String, _ flags: UInt8) -> [UInt8] {
        Digest.sha256(party) + [flags, 0, 0, 0, 0]
    }
}
