import Base
import Foundation
import OCRA
import Tiqr

/// What a phone reads from `tiqrauth://[user@]identifier/session/question/sp/version[?return]` (protocols/tiqr.md,
/// 1.6), and what it sends back.
public struct ScannedChallenge: Sendable {
    public let sessionKey: String
    public let question: String
    private let session: [UInt8]

    /// `nil` for any other link, and for another version than 2.
    public init?(_ link: String) {
        guard let scheme = link.range(of: "://") else { return nil }
        let parts = link[scheme.upperBound...].prefix { $0 != "?" }.split(
            separator: "/", omittingEmptySubsequences: false
        ).map(String.init)
        guard parts.count == 5, parts[4] == "2", let session = Hexadecimal.decode(parts[1]) else { return nil }
        (sessionKey, question, self.session) = (parts[1], parts[2], session)
    }

    /// The one-time password.
    public func response(_ suite: OCRASuite, _ secret: SecretBytes) throws(OCRAError) -> String {
        try OCRAAlgorithm.response(suite: suite, key: secret, input: OCRAInput(question: question, session: session))
    }

    /// As Android sends it: JSON is asked for (protocols/tiqr.md, 1.2 and 1.3).
    public func answer(_ response: String, of identity: String, to url: String) -> DemoRequest {
        DemoRequest(
            method: "POST", url: url, headers: DemoTiqrPhone.headers,
            body: .form([
                ("sessionKey", sessionKey), ("userId", identity), ("response", response), ("language", "en"),
                ("operation", "login"),
            ]))
    }
}
