import Base
import Database
import Foundation
import TokenTree

/// Operations for the people of this IdP: their phones are registrations of owner `house` in the application `pando`,
/// whose user id is the account's UUID in lower case; a login is an operation of the server's template `login`. Its
/// approval shows the phone and its PIN or biometry, so it is two factors (RFC 8176: `mfa` with `swk`, and `pin` where
/// there was one).
///
/// Every login has a proximity check. The link that opens the app on the same device brings the code along, so nobody
/// is asked to scan their own screen; who approves from the list must have seen the page, and a login that somebody
/// else began cannot be nodded through (MFA fatigue).
///
/// A phone is a factor once it is confirmed, and stays one while it is blocked: else a password would lead past it to
/// another phone. See `ApprovalPhones`.
public final class ApprovalLogin: Sendable {
    /// Who logs in where, as the phone shows it.
    public struct Login: Sendable {
        let service: String?
        let address: String?
        let browser: String?
        let language: String?
        let rings: Bool

        /// `service` is who asks, `nil` for this server itself; `address` and `browser` are from where. `rings`: its
        /// phones may be (Accounts, `PushAllowance`).
        public init(
            to service: String? = nil, from address: String?, browser: String? = nil, language: String? = nil,
            rings: Bool = false
        ) {
            (self.service, self.address, self.browser, self.language, self.rings) = (
                service, address, browser, language, rings
            )
        }
    }

    /// As the IdP calls the factor that such a phone is at a login.
    public static let factor = "operations"

    let operations: OperationsService
    let powerAuth: PowerAuthService
    let name: String
    let scheme: String

    /// `name` is what phones call this server, `scheme` that of the links that open the app.
    public init(_ operations: OperationsService, _ powerAuth: PowerAuthService, name: String, scheme: String) {
        (self.operations, self.powerAuth, self.name, self.scheme) = (operations, powerAuth, name, scheme)
    }

    // MARK: Logging in

    /// Asks the phones of `account`; without one whoever scans claims it. `lineage` is that of the session or app in
    /// which the person is asked; none where nobody is known.
    public func begin(
        _ account: UUID?, _ login: Login, below lineage: [NodeID], actor: AuditActor
    ) async throws -> LoginOperation {
        var parameters: JSONObject = [
            "service": .string(ApprovalLogin.line(login.service) ?? name),
            "address": .string(ApprovalLogin.line(login.address) ?? ""),
        ]
        if let browser = ApprovalLogin.line(login.browser) { parameters["browser"] = .string(browser) }
        var members: JSONObject = [
            "template": "login", "parameters": .object(parameters), "proximityCheckEnabled": true,
            "silent": .bool(!login.rings),
        ]
        if let account { members["userId"] = .string(ApprovalLogin.userID(account)) }
        if let language = login.language { members["language"] = .string(language) }
        return try shown(
            try await operations.beginOperation(.object(members), by: .identityProvider(actor, below: lineage))
                .operation)
    }

    /// `nil` for what the server never began, or what was tidied away.
    public func state(_ id: String) async throws -> LoginOperation? {
        try await ApprovalLogin.found { try await read(id) }
    }

    /// Held until it is another than `etag`, at most `seconds`.
    public func wait(_ id: String, unlike etag: String, within seconds: Int) async throws -> LoginOperation? {
        try await ApprovalLogin.found {
            try await operations.changes.wait(for: id, unlike: etag, within: seconds, clock: operations.clock) {
                try await read(id)
            }
        }
    }

    /// Nobody can approve it any more; what is over already stays as it is.
    public func cancel(_ id: String, actor: AuditActor) async throws {
        do {
            _ = try await operations.cancelOperation(id, reason: nil, by: .identityProvider(actor))
        } catch BackOfficeRefusal.operationStateChange {
            return
        } catch BackOfficeRefusal.operationNotFound {
            return
        }
    }

    /// Whose phone approved with two factors, if that phone is still theirs and not blocked now: between approval and
    /// the end of a login a lost one may have been removed. A phone that an app registered for its person is none of
    /// the server's, whatever it approves.
    public func standing(_ login: LoginOperation) async throws -> UUID? {
        guard let (person, phone) = approver(login) else { return nil }
        return try await phones(of: person).contains { $0.id == phone && $0.state == .active } ? person : nil
    }

    /// The same for this account, asked in the transaction of the login. The phone is held until that ends, so that
    /// whoever removes it waits.
    public func isStanding(
        _ login: LoginOperation, of account: UUID, in transaction: any SQLExecutor
    ) async throws -> Bool {
        guard let (person, phone) = approver(login), person == account,
            let held = try await powerAuth.parts.registrations.hold(phone, in: transaction)
        else { return false }
        return held.owner == OperationsCaller.idpOwner && held.userID == ApprovalLogin.userID(account)
            && held.state == .active
    }

    private func approver(_ login: LoginOperation) -> (person: UUID, phone: String)? {
        let operation = login.operation
        guard operation.status == .approved, operation.factor?.needsTwo == true, let phone = operation.finishedBy,
            let person = operation.userID.flatMap({ UUID(uuidString: $0) })
        else { return nil }
        return (person, phone)
    }

    /// RFC 8176 words of an approval.
    public func methods(_ login: LoginOperation) -> [String] {
        login.operation.factor == .possessionKnowledge ? ["mfa", "swk", "pin"] : ["mfa", "swk"]
    }

    private func read(_ id: String) async throws -> LoginOperation {
        try shown(try await operations.store.find(id, for: .identityProvider(.server), in: operations.database))
    }

    private func shown(_ operation: PhoneOperation) throws -> LoginOperation {
        let seed = try operation.status == .pending ? operations.decisions.secret(of: operation) : nil
        return LoginOperation(operation, seed: seed, scheme: scheme, at: operations.clock.now())
    }

    // MARK: Shared with `ApprovalPhones`

    static func userID(_ account: UUID) -> String { account.uuidString.lowercased() }

    /// `nil` where there is none of that name for the server.
    static func found<Value>(_ body: () async throws -> Value) async throws -> Value? {
        do {
            return try await body()
        } catch BackOfficeRefusal.operationNotFound {
            return nil
        } catch BackOfficeRefusal.registrationNotFound {
            return nil
        }
    }

    /// Fit for a phone's line.
    private static func line(_ text: String?) -> String? {
        ControlCharacters.dropped(from: text, limit: 100).flatMap { $0.allSatisfy(\.isWhitespace) ? nil : $0 }
    }
}
