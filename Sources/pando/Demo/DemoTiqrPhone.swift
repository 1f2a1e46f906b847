import Base
import Foundation
import Tiqr

/// A tiqr app as far as the wire can tell (protocols/tiqr.md, 1.1 to 1.7): it reads links, makes a secret, keeps that under a PIN, and answers by OCRA.
enum DemoTiqrPhone {
    static let headers = [(name: "Accept", value: "application/json"), (name: "X-TIQR-Protocol-Version", value: "2")]

    /// What it keeps of an enrollment.
    struct Account: Sendable {
        let identity: String
        let displayName: String
        let service: String
        let suite: OCRASuite
        let authenticationURL: String
        /// The secret under the PIN. Another PIN opens it too, to another secret of the same length: nothing on the phone tells which one is right.
        private let locked: [UInt8]

        /// `nil` for metadata that a phone would refuse.
        init?(_ metadata: JSONValue, secret: [UInt8], pin: String) {
            let about = metadata["service"]
            guard let identity = metadata["identity"]?["identifier"]?.string, let displayName = metadata["identity"]?["displayName"]?.string,
                  let service = about?["displayName"]?.string, let url = about?["authenticationUrl"]?.string,
                  let suite = about?["ocraSuite"]?.string.flatMap({ try? OCRASuite($0) }) else { return nil }
            (self.identity, self.displayName, self.service, self.suite, authenticationURL) = (identity, displayName, service, suite, url)
            locked = Account.turned(secret, by: pin)
        }

        func secret(_ pin: String) -> SecretBytes { SecretBytes(Account.turned(locked, by: pin)) }

        /// There and back. An app takes a slow derivation, and its phone's key store.
        private static func turned(_ bytes: [UInt8], by pin: String) -> [UInt8] {
            zip(bytes, Digest.hmac(key: SecretBytes(pin.utf8), "demo phone".utf8)).map { $0 ^ $1 }
        }
    }

    /// GET of what stands behind `tiqrenroll://`.
    static func reading(_ link: String) -> DemoRequest {
        let url = link.range(of: "://").map { String(link[$0.upperBound...]) } ?? link
        return DemoRequest(method: "GET", url: url, headers: DemoTiqrPhone.headers)
    }

    /// POST to the metadata's `enrollmentUrl`. A phone that can be pushed to sends its address as well.
    static func registration(at url: String, secret: [UInt8]) -> DemoRequest {
        DemoRequest(method: "POST", url: url, headers: DemoTiqrPhone.headers, body: .form([
            ("secret", Hexadecimal.encode(secret)), ("language", "en"), ("operation", "register"),
        ]))
    }
}
