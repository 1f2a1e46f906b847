import Base

/// The parameters of one request, each at most once; an empty value counts as absent (RFC 6749, 3.1).
///
/// `resource` alone may come more than once (RFC 8707, 2). Who takes one only asks for it by name, as for any other.
public struct OAuthParameters: Sendable {
    /// Of more a request is refused: more audiences than a person would read on a page.
    public static let mostResources = 10

    private static let repeatable = "resource"

    private let values: [String: String]
    /// All values of `resource`, where it came more than once; then `values` has none.
    private let resourceValues: [String]
    private var notText: Set<String> = []

    public init(_ values: [String: String]) { self.init(values, resources: [], notText: []) }

    private init(_ values: [String: String], resources: [String], notText: Set<String>) {
        (self.values, resourceValues, self.notText) = (values, resources, notText)
    }

    /// Of a form or a query.
    public init(form: some Collection<UInt8>) throws(FormCodec.Malformed) {
        var values: [String: String] = [:], resources: [String] = []
        for (name, value) in try FormCodec.pairs(form) {
            if name == OAuthParameters.repeatable {
                resources.append(value)
            } else if values.updateValue(value, forKey: name) != nil {
                throw .duplicate(name)
            }
        }
        if resources.count == 1 { values[OAuthParameters.repeatable] = resources.removeLast() }
        self.init(values, resources: resources, notText: [])
    }

    /// Members of a JSON body that are strings, and `resource` where it is an array of some. Others are kept aside:
    /// asking for one is `invalid_request`.
    public init(json object: JSONObject) {
        var values: [String: String] = [:], resources: [String] = [], notText: Set<String> = []
        for member in object where values[member.name] == nil {
            if let text = member.value.string {
                values[member.name] = text
            } else if member.name == OAuthParameters.repeatable, let texts = member.value.strings, !texts.isEmpty {
                resources = texts
            } else if member.value != .null {
                notText.insert(member.name)
            }
        }
        if resources.count == 1 { values[OAuthParameters.repeatable] = resources.removeLast() }
        self.init(values, resources: resources, notText: notText)
    }

    /// Those that are text, as an object.
    public var json: JSONObject {
        var object = JSONObject(values.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })
        if !resourceValues.isEmpty { object[OAuthParameters.repeatable] = JSONValue(strings: resourceValues) }
        return object
    }

    /// Those that are text, for a form or a query.
    public var pairs: [(String, String)] {
        values.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
            + resourceValues.map { (OAuthParameters.repeatable, $0) }
    }

    /// The same without some.
    public func without(_ names: Set<String>) -> OAuthParameters {
        OAuthParameters(
            values.filter { !names.contains($0.key) },
            resources: names.contains(OAuthParameters.repeatable) ? [] : resourceValues,
            notText: notText.subtracting(names))
    }

    public func adding(_ name: String, _ value: String) -> OAuthParameters {
        OAuthParameters(
            values.merging([name: value]) { _, new in new },
            resources: name == OAuthParameters.repeatable ? [] : resourceValues, notText: notText.subtracting([name]))
    }

    /// `nil` when absent or empty.
    public subscript(name: String) -> String? {
        get throws(OAuthError) {
            guard !notText.contains(name) else { throw OAuthError(.invalidRequest, "\(name) must be a string") }
            guard name != OAuthParameters.repeatable || resourceValues.isEmpty else {
                throw OAuthError(.invalidTarget, "name one resource here: a token is for one alone", status: 400)
            }
            guard let value = values[name], !value.isEmpty else { return nil }
            return value
        }
    }

    public func required(_ name: String) throws(OAuthError) -> String {
        guard let value = try self[name] else { throw OAuthError(.invalidRequest, "\(name) is missing") }
        return value
    }

    /// Every `resource`, where several may be named (RFC 8707, 2.1); empty ones count as absent.
    public var resources: [String] {
        get throws(OAuthError) {
            let named =
                resourceValues.isEmpty ? [try self[OAuthParameters.repeatable]].compactMap(\.self) : resourceValues
            guard named.count <= OAuthParameters.mostResources else {
                throw OAuthError(
                    .invalidTarget, "name at most \(OAuthParameters.mostResources) resources", status: 400)
            }
            return named.filter { !$0.isEmpty }
        }
    }
}
