import Base

/// What both ceremonies send (RegistrationResponseJSON and AuthenticationResponseJSON; WebAuthn, 5.1). Members that are
/// not here are not looked at: some wallets put `userHandle` or `device` beside them.
struct CredentialResponse: Sendable {
    let id: [UInt8]
    let response: JSONObject

    /// R1, A1.
    init(_ json: JSONValue) throws(WebAuthnRefusal) {
        guard let members = json.object, let type = members["type"]?.string, let response = members["response"]?.object
        else { throw .responseMalformed }
        guard type == "public-key" else { throw .typeNotPublicKey }
        guard let id = members["id"]?.string, let rawID = members["rawId"]?.string, let bytes = Base64URL.decode(id),
            Base64URL.decode(rawID) != nil,
            (1...1023).contains(bytes.count)
        else { throw .credentialIDMalformed }
        guard id == rawID else { throw .credentialIDMismatch }
        self.id = bytes
        self.response = response
    }

    /// A member of `response` in base64url, not empty.
    func bytes(_ name: String) throws(WebAuthnRefusal) -> [UInt8] {
        guard let text = response[name]?.string, let bytes = Base64URL.decode(text), !bytes.isEmpty else {
            throw .responseMalformed
        }
        return bytes
    }

    /// The names of transports (WebAuthn, 5.8.4) in the client's order. What is none is left out: clients may know new
    /// ones, and it is a hint.
    var transports: [String] {
        var seen: Set<String> = []
        return (response["transports"]?.array ?? []).prefix(16).compactMap(\.string).filter { name in
            (1...32).contains(name.utf8.count) && name.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x2D }
                && seen.insert(name).inserted
        }
    }
}
