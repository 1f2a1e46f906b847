import Base

/// What the JWT of a phone says that asks for a temporary key, in both protocols (protocols/operations.md, 4.4, and
/// protocols/powerauth4.md).
struct TemporaryKeyClaims {
    /// Base64 of 16 bytes.
    let applicationKey: String
    /// `nil` in application scope.
    let activationID: String?
    /// Base64, to be given back as it is.
    let challenge: String

    /// `jwtMalformed` where one is missing or of another form. An activation that is `null` is none where `takesNull`,
    /// as protocol 4 has it.
    init(_ claims: JSONValue, takesNull: Bool) throws(PowerAuthRefusal) {
        guard let key = claims["applicationKey"]?.string, Base64Text.decode(key, count: 16) != nil,
            let challenge = claims["challenge"]?.string, challenge.utf8.count <= 128,
            let bytes = Base64Text.decode(challenge), !bytes.isEmpty
        else { throw .jwtMalformed }
        var identifier: String?
        if let activation = claims["activationId"], !(takesNull && activation == .null) {
            guard let text = activation.string, HeaderMembers.isIdentifier(text) else { throw .jwtMalformed }
            identifier = text
        }
        (applicationKey, activationID, self.challenge) = (key, identifier, challenge)
    }
}
