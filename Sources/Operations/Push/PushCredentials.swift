import Base
import Database
import Foundation
import Keys
import Push

/// What an app is pushed to with, at one provider: the key of a team at Apple, a service account at Google, the secret
/// of an app at Huawei. `settings` is what is no secret, by the names of the API.
struct PushCredentials: Sendable {
    let provider: PushProvider
    let settings: JSONObject
    let secret: SecretBytes

    private static let longestKey = 8_192

    init(_ provider: PushProvider, settings: JSONObject, secret: SecretBytes) {
        (self.provider, self.settings, self.secret) = (provider, settings, secret)
    }

    /// PUT /v2/applications/{id}/push/{provider}.
    init(_ provider: PushProvider, _ json: JSONValue) throws(BackOfficeRefusal) {
        let members = try BackOfficeMembers(json)
        switch provider {
        case .apns:
            let settings: JSONObject = [
                "teamId": .string(try PushCredentials.word("teamId", members)),
                "keyId": .string(try PushCredentials.word("keyId", members)),
                "topic": .string(try PushCredentials.word("topic", members)),
            ]
            let key = try members.required("key", limit: PushCredentials.longestKey, lines: true)
            self.init(provider, settings: settings, secret: SecretBytes(key.utf8))
        case .fcm:
            guard let object = try members.object("account"), let account = FCMAccount(.object(object)),
                account.project.utf8.count <= 255, account.clientEmail.utf8.count <= 255,
                account.privateKey.expose({ $0.count }) <= PushCredentials.longestKey
            else {
                throw .request("account is that of a service account: \(FCMAccount.members.joined(separator: ", "))")
            }
            self.init(
                provider,
                settings: ["projectId": .string(account.project), "clientEmail": .string(account.clientEmail)],
                secret: account.privateKey)
        case .hms:
            let settings: JSONObject = ["appId": .string(try PushCredentials.word("appId", members))]
            self.init(provider, settings: settings, secret: SecretBytes(try members.required("clientSecret").utf8))
        }
    }

    /// They become parts of headers and paths.
    private static func word(_ name: String, _ members: BackOfficeMembers) throws(BackOfficeRefusal) -> String {
        let text = try members.required(name, limit: 255)
        guard text.wholeMatch(of: #/[A-Za-z0-9._\-]+/#) != nil else {
            throw .request("\(name) is letters, digits and . _ -")
        }
        return text
    }

    /// Throws `BackOfficeRefusal` for a key that nothing can be signed with.
    func checked() async throws -> PushCredentials {
        guard let algorithm else { return self }
        do { _ = try await ProviderKey(pem: secret, algorithm: algorithm) } catch {
            throw BackOfficeRefusal.request("the key is no PKCS #8 in PEM for \(algorithm.rawValue)")
        }
        return self
    }

    private var algorithm: SigningAlgorithm? {
        switch provider {
        case .apns: .es256
        case .fcm: .rs256
        case .hms: nil
        }
    }

    func setting(_ name: String) -> String { settings[name]?.string ?? "" }

    /// Of `checked` ones.
    func key() async throws -> ProviderKey { try await ProviderKey(pem: secret, algorithm: algorithm ?? .es256) }
}

/// Credentials as a row of `phone_application_push` has them; whoever replaces them gives another `id`.
struct KeptPushCredentials: Sendable {
    let id: String
    let credentials: PushCredentials
    let createdAt: Date
    /// What the push service last refused and when, since these were given.
    let refusal: (at: Date, said: String)?

    /// A refusal from before they were given was of others.
    init(
        id: String, credentials: PushCredentials, createdAt: Date, refusedAt: Date? = nil, refusal: String? = nil
    ) {
        (self.id, self.credentials, self.createdAt) = (id, credentials, createdAt)
        if let refusedAt, let refusal, refusedAt >= createdAt {
            self.refusal = (refusedAt, refusal)
        } else {
            self.refusal = nil
        }
    }

    /// What is no secret.
    var json: JSONValue {
        var members: JSONObject = ["provider": .string(credentials.provider.rawValue)]
        for (name, value) in credentials.settings { members[name] = value }
        members["timestampCreated"] = .integer(createdAt.milliseconds)
        if let (at, said) = refusal {
            members["timestampRefused"] = .integer(at.milliseconds)
            members["refusal"] = .string(said)
        }
        return .object(members)
    }
}
