import Base
import Foundation

/// POST /v2/operations (design/backoffice.md, "Operations").
struct OperationDraft: Sendable {
    let template: String
    let userID: String?
    let appID: String?
    let language: String?
    let externalID: String?
    let flag: String?
    let registrationID: String?
    let expiresAt: Date?
    let parameters: JSONObject
    let additionalData: JSONValue?
    let customProperties: JSONObject?
    let attributes: [OperationAttribute]
    let offlineURI: String?
    let proximityCheck: Bool?
    let silent: Bool

    init(_ json: JSONValue, at now: Date) throws(BackOfficeRefusal) {
        let members = try BackOfficeMembers(json)
        template = try members.required("template")
        (userID, appID, externalID) = (
            try members.text("userId", limit: 255), try members.filled("appId"), try members.filled("externalId")
        )
        // A caller that lost its user's name must not ask whoever comes first.
        if userID == "" {
            throw .request("userId is empty; leave it out for an operation that the first to claim it has")
        }
        // Nor must one that lost its phone's name, or its flag, ask all phones.
        registrationID = try members.leftOutOrFilled("registrationId")
        flag = try members.leftOutOrFilled("flag", limit: PhoneRegistrationDraft.longestFlag)
        language = try members.filled("language")
        if let language, !PreferredLanguages.isTag(language) { throw .request("language is a tag such as en or pt-BR") }
        parameters = try members.object("parameters") ?? [:]
        additionalData = try members.object("additionalData").map { JSONValue.object($0) }
        customProperties = try CustomProperties.checked(try members.object("customProperties"))
        attributes = try OperationAttribute.checked(try members.array("attributes"))
        offlineURI = try OfflineURI.checked(try members.filled("offlineUriId"))
        (proximityCheck, silent) = (try members.flag("proximityCheckEnabled"), try members.flag("silent") ?? false)
        // Milliseconds; as far as a database's clock goes.
        let milliseconds = try members.integer("timestampExpires", 0...99_999_999_999_999)
        expiresAt = milliseconds.map { Date(timeIntervalSince1970: TimeInterval($0) / 1_000) }
        if let expiresAt, expiresAt <= now { throw .request("timestampExpires is in the past") }
        if let expiresAt, expiresAt > now.addingTimeInterval(OperationDraft.longest) {
            throw .request("timestampExpires is more than 90 days ahead")
        }
    }

    static let longest: TimeInterval = 90 * 86_400
}

/// GET /v2/operations.
public struct OperationFilter: Sendable {
    let userID: String?
    let externalID: String?
    let status: OperationStatus?

    public init(userID: String?, externalID: String?, status: String?) throws(BackOfficeRefusal) {
        (self.userID, self.externalID) = (userID, externalID)
        guard let status else {
            self.status = nil
            return
        }
        guard let known = OperationStatus(rawValue: status) else {
            throw .request("status is one of \(OperationStatus.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        self.status = known
    }
}

extension Date {
    /// As `timestamp…` members have it.
    var milliseconds: Int { Int((timeIntervalSince1970 * 1_000).rounded()) }
}
