import Foundation

extension Date {
    /// RFC 3339 in UTC, to the second.
    public var rfc3339: String {
        let seconds = Int(timeIntervalSince1970.rounded(.down))
        return Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(.iso8601)
    }

    /// Reads what `rfc3339` writes; fractions and offsets too.
    public init?(rfc3339 text: String) {
        if let date = try? Date(text, strategy: .iso8601) {
            self = date
        } else if let date = try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)) {
            self = date
        } else {
            return nil
        }
    }
}
