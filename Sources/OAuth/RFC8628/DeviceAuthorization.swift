import Accounts
import Base
import Database
import Foundation
import Registration
import TokenTree
import Vocabulary

/// A code that a person types (RFC 8628, 6.1): eight consonants, so that it spells no word, shown as `BCDF-GHJK`.
public struct UserCode: Sendable, Equatable {
    static let letters = Array("BCDFGHJKLMNPQRSTVWXZ")
    public let text: String

    /// What was typed, in any case, with or without dashes and blanks; `nil` for anything else.
    public init?(typed: String) {
        guard typed.utf8.count <= 64 else { return nil }
        let letters = typed.uppercased().filter { $0 != "-" && !$0.isWhitespace }
        guard letters.count == 8, letters.allSatisfy(UserCode.letters.contains) else { return nil }
        text = "\(letters.prefix(4))-\(letters.suffix(4))"
    }

    /// Bytes past the last multiple of twenty are thrown away, so that no letter is likelier.
    init(_ randomness: Randomness) {
        var letters: [Character] = []
        while letters.count < 8 { letters += randomness.bytes(16).filter { $0 < 240 }.map { UserCode.letters[Int($0) % 20] } }
        text = String(letters[..<4]) + "-" + String(letters[4..<8])
    }

    var hash: [UInt8] { Digest.sha256("user code \(text)") }
}

/// Devices without a browser (RFC 8628, 3.1 to 3.3).
public struct DeviceAuthorization: Sendable {
    static let lifetime: TimeInterval = 600
    static let interval = 5

    /// What waits for a person's word.
    public struct Waiting: Sendable {
        public let code: UserCode
        public let client: WebClient
        public let scope: Scope
    }

    let issuer: String
    let database: Database
    let authentication: ClientAuthentication
    let clients: WebClientStore
    let consents: ConsentStore
    let attempts: AttemptLimit
    let clock: WallClock
    let randomness: Randomness

    /// `POST /device_authorization`.
    public func begin(_ request: PresentedRequest, _ parameters: Parameters) async throws -> JSONValue {
        guard let client = try await authentication.authenticate(request, parameters, allowingPublic: true) else {
            throw OAuthError(.invalidClient, "authenticate as a client; a public one names its client_id")
        }
        guard client.grantTypes.contains(GrantType.deviceCode.rawValue) else { throw OAuthError(.unauthorizedClient, "this client is not registered for the device grant") }
        let registered = Scope(client.scope)?.names ?? []
        guard let scope = Scope(try parameters["scope"] ?? client.scope), scope.isSubset(of: registered) else {
            throw OAuthError(.invalidScope, "ask for registered scopes only: \(client.scope)")
        }
        let device = Base64URL.encode(randomness.bytes(32)), code = UserCode(randomness), now = clock.now()
        _ = try await database.execute("""
            insert into device_authorization (device, user_code, client, parameters, interval_s, created_at, expires_at)
            values (\(Digest.sha256(device)), \(code.hash), \(client.id), \(["scope": .string(scope.description)] as JSONValue), \(DeviceAuthorization.interval), \(now),
                    \(now.addingTimeInterval(DeviceAuthorization.lifetime)))
            """)
        return [
            "device_code": .string(device), "user_code": .string(code.text), "verification_uri": .string("\(issuer)/device"),
            "verification_uri_complete": .string("\(issuer)/device?user_code=\(code.text)"), "expires_in": .integer(Int(DeviceAuthorization.lifetime)),
            "interval": .integer(DeviceAuthorization.interval),
        ]
    }

    /// What a typed code stands for. Guessing is slowed down per browser and person (RFC 8628, 5.1).
    public func find(_ typed: String, _ session: BrowserSession, _ visitor: Visitor) async throws -> Waiting? {
        guard let code = UserCode(typed: typed) else { return nil }
        let steps = [AttemptLimit.Step(subject: "device \(session.account.id.uuidString.lowercased())", free: 10, pause: 30)]
        if let seconds = try await attempts.count(steps, in: database) { throw OAuthError(.tooManyAttempts, "too many codes; try again in \(seconds) seconds", retryAfter: seconds) }
        guard let row = try await database.query("""
            select client, parameters from device_authorization where user_code = \(code.hash) and status = 'pending' and expires_at > \(clock.now())
            """).first, let client = try await clients.find(try row("client"), in: database) else { return nil }
        try await attempts.forgive(steps[0], takingBack: [], in: database)
        let parameters: JSONValue = try row("parameters")
        return Waiting(code: code, client: client, scope: Scope(parameters["scope"]?.string ?? "") ?? Scope(names: []))
    }

    /// The person's word; false when it came too late.
    func decide(_ waiting: Waiting, allow: Bool, subject: SubjectName, _ session: BrowserSession, _ visitor: Visitor) async throws -> Bool {
        let now = clock.now(), account = session.account.id
        let approval: JSONObject = [
            "sub": .string(subject.of(account, at: waiting.client)), "auth_time": .integer(session.authentication.time.numericDate),
            "acr": .string(session.authentication.level.rawValue), "amr": JSONValue(strings: session.authentication.methods),
        ]
        return try await database.atomically { transaction in
            let decided = try await transaction.query("""
                update device_authorization set status = \(allow ? "approved" : "denied"), account = \(account), approval = \(JSONValue.object(approval)),
                       lineage = \(Array(session.lineage.prefix(2)))
                where user_code = \(waiting.code.hash) and status = 'pending' and expires_at > \(now) returning client
                """)
            guard !decided.isEmpty else { return false }
            guard allow else { return true }
            let claims = ClaimsRelease(client: waiting.client).names(waiting.scope)
            try await consents.give(account, waiting.client.id, scopes: waiting.scope.names, claims: claims, in: transaction)
            try await AuditTrail.write(AuditEntry(actor: visitor.actor(), action: "consent.device", node: ConsentStore.node(account, waiting.client.id).label, account: account,
                                                  detail: ["scope": .string(waiting.scope.description)]), at: now, in: transaction)
            return true
        }
    }

    public func forget() async throws {
        _ = try await database.execute("delete from device_authorization where expires_at < \(clock.now())")
    }
}
