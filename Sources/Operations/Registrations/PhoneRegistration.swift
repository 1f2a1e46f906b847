import Base
import Database
import Foundation
import PowerAuth

/// A row of `phone_registration`: one app on one phone for one user (PowerAuth calls it an activation). State as it
/// reads at the moment: what was not committed in time, or hangs on an app token that has ended, is removed.
public struct PhoneRegistration: Sendable {
    /// What the phone and this server agreed upon in protocol 3; `nil` before the key exchange, and in protocol 4.
    struct Exchange: Sendable {
        /// As it was sent: 33 or 65 bytes.
        let devicePublicKey: [UInt8]
        let serverPublicKey: [UInt8]
        let serverPrivate: Sealed
        let counter: HashCounter
        let counterByte: Int
    }

    /// PowerAuth's activation id.
    public let id: String
    /// Of `phone_application`.
    let applicationID: String
    public let appID: String
    public let owner: String
    public let userID: String
    public let state: ActivationState
    public let flags: [String]
    public let failed: Int
    public let maximumFailed: Int
    let lookAhead: Int
    public let blockedReason: String?
    /// When a block ends by itself; `nil` for one that somebody has to end.
    public let blockedUntil: Date?
    /// A block that has ended, which nobody has written yet.
    let isBlockOver: Bool
    public let name: String?
    public let platform: String?
    public let deviceInfo: String?
    public let createdAt: Date
    /// Of the activation code; after the exchange, until when it can be committed.
    let expiresAt: Date
    public let lastUsedAt: Date?
    let commitPhase: CommitPhase
    let otp: Sealed?
    let otpValidation: OTPValidation?
    let otpTries: Int
    let exchange: Exchange?
    /// What they agreed upon in protocol 4.
    let agreement: Agreement?
    public let protocolVersion: PhoneProtocol
    /// `P256`, or one of `SharedSecretAlgorithm`.
    public let algorithm: String
    /// Whether a biometric factor is on at the server; of protocol 4 alone.
    let isBiometric: Bool
    /// When the phone confirmed a registration of protocol 4.
    let confirmedAt: Date?
    /// All that an upgrade has exchanged and the phone not yet confirmed.
    let upgrade: Sealed?
    /// What its application takes now.
    let choice: ProtocolChoice

    /// Of `phone_registration r` joined with `phone_application p`; `isRevoked` is `TokenBoundRow.isRevoked` of the
    /// row.
    static let columns: SQL = """
        r.id, r.application, p.app_id, r.owner, r.user_id, r.state, r.flags, r.failed, r.max_failed, r.look_ahead,
            r.blocked_reason, r.name, r.platform,
        r.device_info, r.created_at, r.expires_at, r.last_used_at, r.commit_phase, r.otp, r.otp_sealed_by,
            r.otp_validation, r.otp_tries, r.device_key, r.blocked_until,
        r.server_public, r.server_private, r.server_sealed_by, r.ctr_data, r.ctr_byte, r.protocol, r.algorithm,
        r.device_mldsa, r.server_mldsa, r.secrets, r.secrets_sealed_by, r.is_biometric, r.confirmed_at,
        r.upgrade, r.upgrade_sealed_by, p.protocols, p.algorithms,
            \(PhoneRegistration.isRevoked) as is_revoked
        """

    /// What it was begun under has ended before a phone took the code, or before it was committed. Afterwards it stands
    /// by itself.
    static let isRevoked: SQL = """
        (r.state in ('CREATED', 'PENDING_COMMIT') and exists (
            select from revocation v where v.node = any (coalesce((select f.lineage from family f
                where f.id = r.begun_by), r.lineage))))
        """

    /// Whether row `r` signs and is pushed to: one whose block is over too.
    static func isActive(at now: Date) -> SQL {
        "(r.state = 'ACTIVE' or (r.state = 'BLOCKED' and coalesce(r.blocked_until <= \(now), false)))"
    }

    init(_ row: Row, at now: Date) throws {
        (id, applicationID, appID, owner, userID) = (
            try row("id"), try row("application"), try row("app_id"), try row("owner"), try row("user_id")
        )
        let until: Date? = try row("blocked_until"), counted: Int = try row("failed")
        let isBlockOver = until.map { $0 <= now } ?? false
        // All attempts are there again.
        failed = isBlockOver ? 0 : counted
        (self.isBlockOver, blockedUntil) = (isBlockOver, isBlockOver ? nil : until)
        (flags, maximumFailed, lookAhead) = (try row("flags"), try row("max_failed"), try row("look_ahead"))
        (blockedReason, name, platform, deviceInfo) = (
            try row("blocked_reason"), try row("name"), try row("platform"), try row("device_info")
        )
        (createdAt, expiresAt, lastUsedAt) = (try row("created_at"), try row("expires_at"), try row("last_used_at"))
        let isRevoked: Bool = try row("is_revoked")
        let stored = ActivationState(rawValue: try row("state")) ?? .removed
        let isOver = (stored == .created || stored == .pendingCommit) && (expiresAt <= now || isRevoked)
        state = isOver ? .removed : isBlockOver ? .active : stored
        commitPhase = CommitPhase(rawValue: try row("commit_phase")) ?? .onCommit
        let validation: String? = try row("otp_validation")
        otpValidation = validation.flatMap(OTPValidation.init(rawValue:))
        otpTries = try row("otp_tries")
        otp = try Sealed(row, "otp", by: "otp_sealed_by")
        let version = PhoneProtocol(rawValue: try row("protocol")) ?? .three
        (protocolVersion, algorithm) = (version, try row("algorithm"))
        (isBiometric, confirmedAt) = (try row("is_biometric"), try row("confirmed_at"))
        upgrade = try Sealed(row, "upgrade", by: "upgrade_sealed_by")
        choice = ProtocolChoice(stored: try row("protocols"), try row("algorithms"))
        exchange = version == .three ? try PhoneRegistration.exchange(row) : nil
        agreement = version == .four ? try Agreement(row) : nil
    }

    /// A registration of protocol 4 does nothing before its phone has confirmed it.
    var isConfirmed: Bool { protocolVersion == .three || confirmedAt != nil }

    /// What the status tells that a phone may upgrade to.
    var upgradeVersion: PhoneProtocol { max(protocolVersion, choice.highest) }

    /// Whose it is, where it is one of the IdP's people.
    var account: UUID? { owner == OperationsCaller.idpOwner ? UUID(uuidString: userID) : nil }

    private static func exchange(_ row: Row) throws -> Exchange? {
        let device: [UInt8]? = try row("device_key"), server: [UInt8]? = try row("server_public"),
            counter: [UInt8]? = try row("ctr_data")
        guard let device, let server, let counter,
            let sealed = try Sealed(row, "server_private", by: "server_sealed_by")
        else { return nil }
        return Exchange(
            devicePublicKey: device, serverPublicKey: server, serverPrivate: sealed, counter: try HashCounter(counter),
            counterByte: try row("ctr_byte"))
    }
}

/// When a registration becomes usable.
public enum CommitPhase: String, Sendable {
    /// When the back office says so.
    case onCommit = "ON_COMMIT"
    /// At once.
    case onKeyExchange = "ON_KEY_EXCHANGE"
}

/// Who says the registration's one-time password: the phone in the key exchange, or the back office when it commits.
public enum OTPValidation: String, Sendable {
    case onKeyExchange = "ON_KEY_EXCHANGE"
    case onCommit = "ON_COMMIT"
}
