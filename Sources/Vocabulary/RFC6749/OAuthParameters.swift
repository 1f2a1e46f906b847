import Base

/// The parameters of one request, each at most once; an empty value counts as absent (RFC 6749, 3.1).
public struct OAuthParameters: Sendable {
    private let values: [String: String]

    public init(_ values: [String: String]) { self.values = values }

    private init(_ values: [String: String], notText: Set<String>) { (self.values, self.notText) = (values, notText) }

    /// Members of a JSON body that are strings. Others are kept aside: asking for one is `invalid_request`.
    public init(json object: JSONObject) {
        values = [String: String](
            object.compactMap { member in member.value.string.map { (member.name, $0) } },
            uniquingKeysWith: { first, _ in first })
        notText = Set(object.filter { $0.value.string == nil && $0.value != .null }.map(\.name))
    }

    /// Those that are text, as an object.
    public var json: JSONObject { JSONObject(values.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) }) }

    /// The same without some.
    public func without(_ names: Set<String>) -> OAuthParameters {
        OAuthParameters(values.filter { !names.contains($0.key) }, notText: notText.subtracting(names))
    }

    public func adding(_ name: String, _ value: String) -> OAuthParameters {
        OAuthParameters(values.merging([name: value]) { _, new in new }, notText: notText.subtracting([name]))
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
