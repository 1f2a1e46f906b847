import Base

/// The parameters of one request, each at most once; an empty value counts as absent (RFC 6749, 3.1).
public struct Parameters: Sendable {
    private let values: [String: String]

    public init(_ values: [String: String]) { self.values = values }

    /// Members of a JSON body that are strings. Others are kept aside: asking for one is `invalid_request`.
    public init(json object: JSONObject) {
        values = [String: String](object.compactMap { member in member.value.string.map { (member.name, $0) } }, uniquingKeysWith: { first, _ in first })
        notText = Set(object.filter { $0.value.string == nil && $0.value != .null }.map(\.name))
    }

    private var notText: Set<String> = []

    /// `nil` when absent or empty.
    public subscript(name: String) -> String? {
        get throws(OAuthError) {
            guard !notText.contains(name) else { throw OAuthError(.invalidRequest, "\(name) must be a string") }
            guard let value = values[name], !value.isEmpty else { return nil }
            return value
        }
    }

    public func required(_ name: String) throws(OAuthError) -> String {
        guard let value = try self[name] else { throw OAuthError(.invalidRequest, "\(name) is missing") }
        return value
    }
}
