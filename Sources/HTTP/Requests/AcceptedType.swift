import Foundation
import HTTPTypes
import Hummingbird

/// Which of our media types a request wants (RFC 9110, 12.5.1).
public enum AcceptedType {
    private struct MediaRange {
        let type: String
        let quality: Double
    }

    /// The one with the highest quality; among equals the one that is named rather than meant by a wildcard, then the
    /// earlier of `offers`. When all are refused, or nothing is said, the first: an answer of another type is more use
    /// than none (12.4.1).
    public static func choose(among offers: [String], for request: Request) -> String {
        choose(among: offers, accepting: request.headers[values: .accept].joined(separator: ","))
    }

    static func choose(among offers: [String], accepting field: String) -> String {
        let ranges = field.split(separator: ",").compactMap { range($0) }
        var best = offers.first ?? "", bestRank = (quality: 0.0, precision: 0)
        for offer in offers {
            let rank = rank(offer, ranges)
            guard rank.quality > 0, rank > bestRank else { continue }
            (best, bestRank) = (offer, rank)
        }
        return best
    }

    /// The most precise range that covers the type decides.
    private static func rank(_ offer: String, _ ranges: [MediaRange]) -> (quality: Double, precision: Int) {
        let family = (offer.split(separator: "/").first.map(String.init) ?? "") + "/*"
        for (precision, name) in [(3, offer), (2, family), (1, "*/*")] {
            if let range = ranges.first(where: { $0.type == name }) { return (range.quality, precision) }
        }
        return (0, 0)
    }

    /// Parameters other than `q` make a range that is none of our types; a `q` that cannot be read counts as 0.
    private static func range(_ text: Substring) -> MediaRange? {
        let parts = text.split(separator: ";", omittingEmptySubsequences: true).map {
            $0.trimmingCharacters(in: .whitespaces).lowercased()
        }
        guard let type = parts.first, type.contains("/") else { return nil }
        var quality = 1.0
        for part in parts.dropFirst() {
            guard part.hasPrefix("q=") else {
                if part.hasPrefix("charset=") { continue }
                return nil
            }
            quality = Double(part.dropFirst(2)).flatMap { (0...1).contains($0) ? $0 : nil } ?? 0
        }
        return MediaRange(type: type, quality: quality)
    }
}
