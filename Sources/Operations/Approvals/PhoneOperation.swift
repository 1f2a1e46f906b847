import Base
import Database
import Foundation
import PowerAuth

/// protocols/operations.md, 2.1: PENDING, and five ends.
public enum OperationStatus: String, Sendable, CaseIterable {
    case pending = "PENDING"
    case approved = "APPROVED"
    case rejected = "REJECTED"
    case canceled = "CANCELED"
    case expired = "EXPIRED"
    case failed = "FAILED"

    /// What the phone hears that wants something of an operation in this state; `nil` while it may have it.
    var refusal: OperationsRefusal? {
        switch self {
        case .pending: nil
        case .approved, .rejected: .alreadyFinished
        case .canceled: .alreadyCanceled
        case .expired: .expired
        case .failed: .alreadyFailed
        }
    }
}

/// A row of `phone_operation` with its template, as it reads at one moment.
public struct PhoneOperation: Sendable {
    public let id: String
    let owner: String
    let application: String
    /// `nil` until somebody claims it.
    public private(set) var userID: String?
    /// The one phone that may decide it; any of the user's without.
    let boundTo: String?
    let flag: String?
    public let externalID: String?
    /// Of texts, where the phone asks for none.
    let language: String?
    let template: OperationTemplate
    public let data: String
    let parameters: OperationParameters
    let additionalData: JSONValue?
    /// Beside the template's: of one name this one counts.
    let customProperties: JSONObject?
    let attributes: [OperationAttribute]
    /// Under which a phone without a network signs it.
    let offlineURI: String
    /// As it reads: a pending one past its time has expired, one whose app token ended is canceled.
    public private(set) var status: OperationStatus
    private(set) var storedStatus: OperationStatus
    public private(set) var statusReason: String?
    let failures: Int
    let maxFailures: Int
    public private(set) var rejectReason: String?
    private(set) var mobileTokenData: JSONValue?
    private(set) var proximity: ProximityReport?
    /// Which phone ended it, with which factors.
    public private(set) var finishedBy: String?
    public private(set) var factor: FactorType?
    let seed: Sealed?
    let silent: Bool
    private(set) var version: Int
    public let createdAt: Date
    public let expiresAt: Date
    public private(set) var finishedAt: Date?

    /// Of row `x`, with `OperationTemplate.columns` of `t`.
    static let columns: SQL = """
        x.id, x.owner, x.application, x.template, x.user_id, x.registration, x.flag, x.external_id, x.language, x.data,
            x.parameters, x.additional_data, x.custom_properties, x.attributes, x.offline_uri,
            x.proximity_report, x.status, x.status_reason,
        x.failures, x.max_failures, x.reject_reason, x.mobile_token_data, x.finished_by, x.factor, x.seed,
            x.sealed_by, x.silent, x.version, x.created_at,
        x.expires_at, x.finished_at, (x.lineage <> '{}' and \(OperationID.isRevoked)) as is_revoked,
            \(OperationTemplate.columns)
        """

    static let source: SQL = "phone_operation x join operation_template t on t.id = x.template"

    /// Why an operation ended with what began it: an app's token, a client, a session.
    static let reason = "TOKEN_ENDED"

    init(_ row: Row, at now: Date) throws {
        (id, owner, application, userID) = (try row("id"), try row("owner"), try row("application"), try row("user_id"))
        (boundTo, flag, externalID, data) = (
            try row("registration"), try row("flag"), try row("external_id"), try row("data")
        )
        language = try row("language")
        let written: JSONValue = try row("parameters"), stored: String = try row("status"),
            isRevoked: Bool = try row("is_revoked")
        parameters = OperationParameters(stored: written.object ?? [:])
        (additionalData, mobileTokenData) = (try row("additional_data"), try row("mobile_token_data"))
        let custom: JSONValue? = try row("custom_properties"), own: JSONValue? = try row("attributes"),
            report: JSONValue? = try row("proximity_report")
        (customProperties, offlineURI) = (custom?.object, try row("offline_uri"))
        attributes = try (own?.array ?? []).map { try OperationAttribute($0) }
        proximity = report?.object.flatMap { ProximityReport($0) }
        (failures, maxFailures, version, silent) = (
            try row("failures"), try row("max_failures"), try row("version"), try row("silent")
        )
        (rejectReason, finishedBy) = (try row("reject_reason"), try row("finished_by"))
        let name: String? = try row("factor")
        factor = name.flatMap { FactorType(rawValue: $0) }
        seed = try Sealed(row, "seed", by: "sealed_by")
        (createdAt, expiresAt, finishedAt) = (try row("created_at"), try row("expires_at"), try row("finished_at"))
        template = try OperationTemplate.remembered(as: try row("template"), row)
        storedStatus = OperationStatus(rawValue: stored) ?? .failed
        let reason: String? = try row("status_reason"), ended = storedStatus == .pending && isRevoked
        status = ended ? .canceled : storedStatus == .pending && expiresAt <= now ? .expired : storedStatus
        statusReason = ended ? PhoneOperation.reason : reason
    }

    /// The row as `OperationStore.finishing` leaves it.
    func finished(as status: OperationStatus, _ end: OperationStore.End, at now: Date) -> PhoneOperation {
        var after = self
        (after.status, after.storedStatus, after.statusReason) = (status, status, end.statusReason)
        (after.rejectReason, after.mobileTokenData) = (end.rejectReason, end.mobileTokenData)
        after.proximity = end.proximity
        (after.userID, after.finishedBy) = (userID ?? end.registration?.userID, end.registration?.id)
        (after.factor, after.finishedAt, after.version) = (end.factor, now, version + 1)
        return after
    }

    public var type: String { template.operationType }
    /// Whose it is, where it is one of the IdP's people.
    var account: UUID? { isLoginHere ? userID.flatMap { UUID(uuidString: $0) } : nil }
    /// A login that a browser began and no phone has claimed: anybody can begin those.
    var isNobodys: Bool { isLoginHere && userID == nil }
    /// Begun by this server, to let one of its people in.
    var isLoginHere: Bool { owner == OperationsCaller.idpOwner }
    var isProximityChecked: Bool { seed != nil }
    var allowedFactors: [FactorType] { template.allowedFactors }

    /// Whether this phone is one that may see it: its application, its user or nobody's yet, and it alone where it is
    /// bound.
    func concerns(_ registration: PhoneRegistration) -> Bool {
        application == registration.applicationID && (userID?.isSame(as: registration.userID) ?? true)
            && (boundTo == nil || boundTo == registration.id)
    }

    func admits(_ flags: [String]) -> Bool { flag.map { flag in flags.contains { $0.isSame(as: flag) } } ?? true }
}

extension PhoneOperation: WaitedFor {
    /// Without quotes.
    public var etag: String { "\(version)-\(status.rawValue)" }
    public var changesAt: Date? { status == .pending ? expiresAt : nil }
    public var isFinal: Bool { status != .pending }
}
