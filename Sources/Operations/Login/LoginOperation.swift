import Base
import Database
import Foundation
import PowerAuth

/// A login that a phone is to approve, as a page of the IdP shows it at one moment.
public struct LoginOperation: Sendable {
    let operation: PhoneOperation
    /// What is scanned, or opens the app on the same device: the operation's id with the proximity code of the moment.
    /// `nil` once it is over.
    public let deeplink: String?
    private let readAt: Date

    init(_ operation: PhoneOperation, seed: SecretBytes?, scheme: String, at now: Date) {
        (self.operation, readAt) = (operation, now)
        deeplink =
            operation.status == .pending
            ? seed.flatMap {
                ProximityCode.deeplink(scheme: scheme, operationID: operation.id, code: ProximityCode.code($0, at: now))
            } : nil
    }

    public var id: String { operation.id }
    public var status: OperationStatus { operation.status }
    public var expiresAt: Date { operation.expiresAt }
    /// The phone's own words.
    public var rejectReason: String? { operation.rejectReason }
}

extension LoginOperation: WaitedFor {
    /// Another with each proximity code too: what shows one is drawn anew.
    public var etag: String { isFinal ? operation.etag : "\(operation.etag)-\(ProximityCode.number(at: readAt))" }
    public var changesAt: Date? { isFinal ? nil : min(operation.expiresAt, ProximityCode.changes(at: readAt)) }
    public var isFinal: Bool { operation.isFinal }
}
