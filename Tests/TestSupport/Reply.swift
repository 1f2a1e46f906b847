import Base
import HTTPTypes

/// An answer, as a client sees it.
public struct Reply: Sendable {
    public let status: Int
    public let headers: HTTPFields
    public let body: String

    public init(status: Int, headers: HTTPFields, body: String) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }

    public var json: JSONValue { (try? JSONReader.read(Array(body.utf8))) ?? .null }
    public var error: String? { json["error"]?.string }
    /// Status and code in one word, e.g. `400 invalid_grant`; `200` when there is no error.
    public var outcome: String { error.map { "\(status) \($0)" } ?? "\(status)" }

    public subscript(member: String) -> String? { json[member]?.string }
    public subscript(header name: String) -> String? { HTTPField.Name(name).flatMap { headers[$0] } }

    /// Without the form by which a page is shown in another language, which has the page's own address.
    public var content: String {
        body.replacing(#/<form[^>]*action="\/language".*?<\/form>/#.dotMatchesNewlines(), with: "")
    }

    public var accessToken: String { self["access_token"] ?? "" }
    public var refreshToken: String { self["refresh_token"] ?? "" }
    public var clientID: String { self["client_id"] ?? "" }
    public var jti: String { claims(of: accessToken)["jti"]?.string ?? "" }
}
