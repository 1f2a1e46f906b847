import Base
import Foundation
import OCRA
import Server
import Tiqr

/// A tiqr app as far as the wire can tell (protocols/tiqr.md, 1.1 to 1.7): it reads links, makes a secret, keeps that
/// under a PIN, and answers by OCRA.
public enum DemoTiqrPhone {
    public static let headers = [
        (name: "Accept", value: "application/json"), (name: "X-TIQR-Protocol-Version", value: "2"),
    ]

    /// What it keeps of an enrollment.
    public struct Account: Sendable {
        public let identity: String
        public let displayName: String
        public let service: String
        public let suite: OCRASuite
        public let authenticationURL: String
        /// The secret under the PIN.
        private let locked: [UInt8]

        /// `nil` for metadata that a phone would refuse.
        public init?(_ metadata: JSONValue, secret: [UInt8], pin: String) {
            let about = metadata["service"]
            guard let identity = metadata["identity"]?["identifier"]?.string,
                let displayName = metadata["identity"]?["displayName"]?.string,
                let service = about?["displayName"]?.string, let url = about?["authenticationUrl"]?.string,
                let suite = about?["ocraSuite"]?.string.flatMap({ try? OCRASuite($0) })
            else { return nil }
            (self.identity, self.displayName, self.service, self.suite, authenticationURL) = (
                identity, displayName, service, suite, url
            )
            locked = DemoPIN.turned(secret, by: pin)
        }

        public func secret(_ pin: String) -> SecretBytes { SecretBytes(DemoPIN.turned(locked, by: pin)) }
    }

    /// GET of what stands behind `tiqrenroll://`.
    public static func reading(_ link: String) -> DemoRequest {
        let url = link.range(of: "://").map { String(link[$0.upperBound...]) } ?? link
        return DemoRequest(method: "GET", url: url, headers: DemoTiqrPhone.headers)
    }

    /// POST to the metadata's `enrollmentUrl`. A phone that can be pushed to sends its address as well.
    public static func registration(at url: String, secret: [UInt8]) -> DemoRequest {
        DemoRequest(
            method: "POST", url: url, headers: DemoTiqrPhone.headers,
            body: .form([
                ("secret", Hexadecimal.encode(secret)), ("language", "en"), ("operation", "register"),
            ]))
    }
}
