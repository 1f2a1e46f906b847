import Base
import Foundation

/// Where a page of the listing ended. Opaque to whoever carries it.
public struct ListingCursor: Sendable, Hashable {
    /// Of a listing by change.
    let changedAt: Date?
    let id: String

    public init(after service: ListedService, byChange: Bool) {
        (changedAt, id) = (byChange ? service.updatedAt : nil, service.id)
    }

    /// After this id, in a listing by id.
    public init(id: String) { (changedAt, self.id) = (nil, id) }

    /// Reads what `text` wrote.
    public init?(_ text: String) {
        guard let bytes = Base64URL.decode(text), let plain = String(validating: bytes, as: UTF8.self),
            !plain.utf8.contains(0)
        else { return nil }
        let parts = plain.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[1].isEmpty else { return nil }
        id = String(parts[1])
        if parts[0].isEmpty {
            changedAt = nil
        } else {
            // What PostgreSQL's times can hold, and a Date without loss.
            guard let microseconds = Int(parts[0]), (-(1 << 53)...(1 << 53)).contains(microseconds) else { return nil }
            changedAt = Date(timeIntervalSinceReferenceDate: TimeInterval(microseconds) / 1_000_000)
        }
    }

    public var isByChange: Bool { changedAt != nil }

    public var text: String {
        let time = changedAt.map { String(Int(($0.timeIntervalSinceReferenceDate * 1_000_000).rounded())) } ?? ""
        return Base64URL.encode(Array("\(time):\(id)".utf8))
    }
}
