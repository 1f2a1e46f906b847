import Base
import Foundation

/// What a phone tells of its proximity check: how it got the code, and when it thinks that it did. The times are by its
/// own clock, and of some SDKs in its own time zone with a `Z` behind them: whoever looks into a fraud may read them,
/// nothing is decided by them.
struct ProximityReport: Equatable, Sendable {
    enum Kind: String, CaseIterable, Sendable {
        case qrCode = "QR_CODE"
        case deeplink = "DEEPLINK"
    }

    let kind: Kind?
    let received: Date?
    let sent: Date?

    /// Of the member `proximityCheck`; `nil` where it tells nothing but the code. Whatever cannot be read is left out:
    /// a phone with an odd clock approves all the same.
    init?(_ members: JSONObject) {
        kind = members["type"]?.string.flatMap { Kind(rawValue: $0) }
        received = ProximityReport.time(members["timestampReceived"])
        sent = ProximityReport.time(members["timestampSent"])
        guard kind != nil || received != nil || sent != nil else { return nil }
    }

    /// Milliseconds, as all that is called `timestamp…` in the back office, and as the row has it.
    var json: JSONValue {
        var members = JSONObject()
        if let kind { members["type"] = .string(kind.rawValue) }
        if let received { members["timestampReceived"] = .integer(received.milliseconds) }
        if let sent { members["timestampSent"] = .integer(sent.milliseconds) }
        return .object(members)
    }

    /// Of 1970 to 9999: what a column and a calendar have room for.
    private static let range = Date(timeIntervalSince1970: 0)..<Date(timeIntervalSince1970: 253_402_300_800)

    /// ISO 8601 as the SDKs write it, with fractions or without, `Z` or an offset with a colon or without; or
    /// milliseconds.
    private static func time(_ value: JSONValue?) -> Date? {
        let date: Date? =
            switch value {
            case .integer(let milliseconds): Date(timeIntervalSince1970: TimeInterval(milliseconds) / 1_000)
            case .string(let text) where text.utf8.count <= 40: Date(rfc3339: text)
            default: nil
            }
        return date.flatMap { range.contains($0) ? $0 : nil }
    }
}
