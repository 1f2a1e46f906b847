import Base
import Foundation
import Pages

/// RFC 9116: whom to tell of a hole in this server, which is its operator's choice: without one there is no such
/// document, as it would name somebody who has not been asked.
enum SecurityTxt {
    private static let path = "/.well-known/security.txt"
    /// How long it may be believed (2.5.5 wants less than a year), from the day on which it is asked for.
    private static let lifetime: TimeInterval = 90 * 86_400, day: TimeInterval = 86_400

    static func endpoints(_ brand: Brand, root: String, clock: WallClock) -> [Endpoint] {
        guard let contact = brand.securityContact else { return [] }
        return [
            Endpoint(.get, path, "Whom to tell of a hole in this server (RFC 9116)") { _, _ in
                Answer.text(
                    text(contact, root: root, at: clock.now()), type: "text/plain; charset=utf-8",
                    headers: [.cacheControl: "public, max-age=3600"])
            }.telling(.securityTxt).named("securityTxt")
        ]
    }

    private static func text(_ contact: String, root: String, at now: Date) -> String {
        let today = (now.timeIntervalSince1970 / day).rounded(.down) * day
        var fields = ["Contact: \(contact)", "Expires: \(Date(timeIntervalSince1970: today + lifetime).rfc3339)"]
        // 2.5.2: an address of the web is https, or it is not said.
        if root.hasPrefix("https://") { fields.append("Canonical: \(root)\(path)") }
        return fields.joined(separator: "\n") + "\n"
    }
}
