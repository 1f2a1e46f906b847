import Base
import Foundation
import PowerAuth

/// An operation as the back office reads it (design/backoffice.md, "Operations").
public struct OperationView: Sendable {
    public let operation: PhoneOperation
    /// Of the moment, while it can be used.
    let proximityOTP: String?

    public var id: String { operation.id }
    public var etag: String { operation.etag }
    public var isFinal: Bool { operation.isFinal }

    public var json: JSONValue {
        var members = OperationView.members(of: operation)
        if let proximityOTP { members["proximityOtp"] = .string(proximityOTP) }
        return .object(members)
    }

    /// Without the proximity code: what callbacks may tell.
    static func members(of operation: PhoneOperation) -> JSONObject {
        var members: JSONObject = ["operationId": .string(operation.id)]
        func add(_ name: String, _ text: String?) { if let text { members[name] = .string(text) } }
        add("userId", operation.userID)
        add("status", operation.status.rawValue)
        add("statusReason", operation.statusReason)
        add("operationType", operation.type)
        add("template", operation.template.name)
        add("data", operation.data)
        members["parameters"] = .object(operation.parameters.written)
        add("externalId", operation.externalID)
        members["failureCount"] = .integer(operation.failures)
        members["maxFailureCount"] = .integer(operation.maxFailures)
        members["timestampCreated"] = .integer(operation.createdAt.milliseconds)
        members["timestampExpires"] = .integer(operation.expiresAt.milliseconds)
        if let finished = operation.finishedAt { members["timestampFinalized"] = .integer(finished.milliseconds) }
        if let additional = operation.additionalData { members["additionalData"] = additional }
        if let custom = operation.customProperties { members["customProperties"] = .object(custom) }
        if !operation.attributes.isEmpty { members["attributes"] = .array(operation.attributes.map(\.json)) }
        if operation.offlineURI != OfflineAnswer.uriID { members["offlineUriId"] = .string(operation.offlineURI) }
        add("rejectReason", operation.rejectReason)
        if let data = operation.mobileTokenData { members["mobileTokenData"] = data }
        if let proximity = operation.proximity { members["proximityCheck"] = proximity.json }
        add("registrationId", operation.finishedBy)
        add("signatureType", operation.factor?.rawValue)
        return members
    }
}
