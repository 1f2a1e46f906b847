import Base
import Foundation

/// A service that relies on tiqr, with a token that it gets for itself (design/backoffice.md, "Getting in").
struct DemoTiqrService: Sendable {
    static let scope = "org.tiqr.enroll org.tiqr.auth"

    let issuer: String
    let client: DemoCredentials.Client
    var token = ""

    var base: String { issuer + "/services/tiqr" }

    /// RFC 6749, 4.4, for one service (RFC 8707).
    var tokenRequest: DemoRequest {
        let basic = Data("\(client.id):\(client.secret)".utf8).base64EncodedString()
        return DemoRequest(method: "POST", url: issuer + "/token", headers: [("Authorization", "Basic \(basic)")], body: .form([
            ("grant_type", "client_credentials"), ("scope", DemoTiqrService.scope), ("resource", base),
        ]))
    }

    /// `path` is below the base; `seconds`: how long the answer may be held (RFC 7240, 4.3).
    func ask(_ method: String, _ path: String, _ members: JSONObject? = nil, wait seconds: Int? = nil) -> DemoRequest {
        var request = DemoRequest(method: method, url: base + path, headers: [("Authorization", "Bearer \(token)")])
        if let members { request.body = .json(.object(members)) }
        if let seconds { request.headers.append(("Prefer", "wait=\(seconds)")) }
        return request
    }
}
