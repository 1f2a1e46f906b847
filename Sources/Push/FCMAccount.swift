import Base

/// The JSON file of a service account at Google, as its console gives it.
public struct FCMAccount: Sendable {
    public static let members = ["project_id", "client_email", "token_uri", "private_key"]

    public let project: String
    public let clientEmail: String
    public let tokenURL: String
    /// PKCS #8 in PEM.
    public let privateKey: SecretBytes

    /// `nil` for what is no such account.
    public init?(_ json: JSONValue) {
        let found = FCMAccount.members.compactMap { json[$0]?.string }.filter { !$0.isEmpty }
        guard found.count == FCMAccount.members.count else { return nil }
        (project, clientEmail, tokenURL) = (found[0], found[1], found[2])
        privateKey = SecretBytes(Array(found[3].utf8))
    }
}
