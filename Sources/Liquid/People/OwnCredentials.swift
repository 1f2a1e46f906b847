import Accounts
import Base
import Database
import Foundation
import OAuth
import Passkeys
import TokenTree
import Vocabulary
import WebAuthn

/// Passkeys of a person, as an app has them that holds the person's token for `org.w3.webauthn`: those of the account
/// itself, and those of wallets that it is linked with.
///
/// A token names and removes; it makes none. Registering one takes a session in which the person has just logged in,
/// since a passkey opens the account itself, and no app is given that by the word of another service.
struct OwnCredentials: Sendable {
    let people: LiquidPeople
    let passkeys: PasskeyLogin
    let database: Database
    let revocation: Revocation
    let clock: WallClock

    func list(of person: String) async throws -> [Passkey] {
        guard let account = try await people.account(of: person) else { return [] }
        return try await passkeys.passkeys(of: account)
    }

    func find(_ id: String, of person: String) async throws -> Passkey {
        guard let found = try await list(of: person).first(where: { $0.text == id }) else {
            throw OwnCredentials.missing
        }
        return found
    }

    func rename(_ id: String, of person: String, to name: String, actor: AuditActor) async throws -> Passkey {
        guard DeviceName.fit(name) == name else {
            throw OAuthError(.invalidRequest, "name must have 1 to 100 characters in one line, and not be blank")
        }
        do {
            try await passkeys.rename(id, of: try await account(of: person), to: name, actor: actor)
        } catch PasskeyRefusal.notFound {
            throw OwnCredentials.missing
        }
        return try await find(id, of: person)
    }

    /// As the account page does it: browsers in which this kind of factor was shown are logged out. Where the account
    /// must have a factor the last passkey of its kind stays, whatever else there may be: an app does not see what.
    func remove(_ id: String, of person: String, actor: AuditActor) async throws {
        let account = try await account(of: person), reason = actor.because("passkey removed by an app")
        try await database.atomically { transaction in
            guard let held = try await AccountStore(clock: clock).hold(account, in: transaction),
                let flow = try await passkeys.flow(of: id, account, in: transaction)
            else { throw OwnCredentials.missing }
            do {
                try await passkeys.remove(
                    id, of: account, only: flow, keepingOne: held.requiredFactor != .none, actor: reason,
                    in: transaction)
            } catch PasskeyRefusal.last {
                throw OAuthError(
                    .accessDenied, "the account must have a factor, and this is its last passkey of the kind",
                    status: 409)
            } catch PasskeyRefusal.notFound {
                throw OwnCredentials.missing
            }
            for session in try await SessionStore(clock: clock).showing(flow.factor, of: account, in: transaction) {
                try await revocation.revoke(.virtual(Ancestor(.session, session)), by: reason, in: transaction)
            }
        }
    }

    private func account(of person: String) async throws -> UUID {
        guard let account = try await people.account(of: person) else { throw OwnCredentials.missing }
        return account
    }

    private static let missing = OAuthError(.notFound, "this person has no such credential")
}

extension Passkey {
    /// What an app is told.
    var credentialJSON: JSONValue {
        var members: JSONObject = [
            "id": .string(text), "name": .string(name), "kind": .string(flow.factor),
            "created_at": .string(createdAt.rfc3339), "backed_up": .bool(backedUp),
        ]
        // A key that is here was read when it came.
        if let key = try? COSEKey(key) { members["alg"] = .integer(key.algorithm.rawValue) }
        members["device"] = device.map(JSONValue.string)
        members["wallet"] = wallet.map(JSONValue.string)
        members["last_used_at"] = lastUsedAt.map { .string($0.rfc3339) }
        members["flagged_at"] = flaggedAt.map { .string($0.rfc3339) }
        return .object(members)
    }
}
