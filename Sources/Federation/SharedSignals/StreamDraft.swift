import Base
import Vocabulary

/// What a receiver says of its stream (8.1.1), read from the body of a request and checked.
struct StreamDraft: Sendable {
    enum Delivery: Sendable, Equatable {
        case poll
        case push(endpoint: String, authorization: String?)
    }

    /// `nil` where the body does not name it.
    let delivery: Delivery?
    let requested: [String]?
    let description: String?
    /// The members that the body names, with null or not.
    private let named: Set<String>

    func names(_ member: String) -> Bool { named.contains(member) }

    /// Most event types that one may ask for.
    private static let mostTypes = 100

    /// `base`: the service's. Throws `invalid_request`.
    init(_ body: JSONObject, base: String) throws(OAuthError) {
        named = Set(body.names)
        requested = try StreamDraft.requested(body["events_requested"] ?? .null)
        description = try StreamDraft.text(body["description"] ?? .null, "description", most: 500)
        delivery = try StreamDraft.delivery(body["delivery"] ?? .null, base: base)
    }

    private static func requested(_ value: JSONValue) throws(OAuthError) -> [String]? {
        guard value != .null else { return nil }
        guard let types = value.strings, types.count <= mostTypes, types.allSatisfy({ $0.utf8.count <= 500 }) else {
            throw OAuthError(.invalidRequest, "events_requested must be a list of at most \(mostTypes) URIs")
        }
        return types
    }

    static func text(_ value: JSONValue, _ name: String, most: Int) throws(OAuthError) -> String? {
        guard value != .null else { return nil }
        // Code points, as the database counts.
        guard let text = value.string, text.unicodeScalars.count <= most else {
            throw OAuthError(.invalidRequest, "\(name) must be a string of at most \(most) characters")
        }
        return text
    }

    private static func delivery(_ value: JSONValue, base: String) throws(OAuthError) -> Delivery? {
        guard value != .null else { return nil }
        guard let object = value.object, let method = object["method"]?.string else {
            throw OAuthError(.invalidRequest, "delivery must be an object with a method")
        }
        switch method {
        case EventStream.Delivery.pollMethod: return .poll
        case EventStream.Delivery.pushMethod: return try push(object, base: base)
        default:
            throw OAuthError(
                .invalidRequest, "delivery.method is \(EventStream.Delivery.methods.joined(separator: " or "))")
        }
    }

    /// The endpoint lies below the service's base, so that nobody makes us ask somebody else; what it resolves to is
    /// looked at with each push, as the crawler does.
    private static func push(_ object: JSONObject, base: String) throws(OAuthError) -> Delivery {
        guard let url = object["endpoint_url"]?.string, !url.utf8.contains(UInt8(ascii: "#")),
            EventStream.isBelow(base, url)
        else {
            throw OAuthError(.invalidRequest, "delivery.endpoint_url must be a URL below \(base)/")
        }
        let header = try text(object["authorization_header"] ?? .null, "delivery.authorization_header", most: 4_000)
        guard header?.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) ?? true, header?.isEmpty != true else {
            throw OAuthError(.invalidRequest, "delivery.authorization_header must be the value of a header")
        }
        return .push(endpoint: url, authorization: header)
    }

    /// What the transmitter supplies may stand in a change, and then must be as it is (8.1.1.3, 8.1.1.4).
    static func check(_ body: JSONObject, against configuration: JSONObject) throws(OAuthError) {
        for name in ["iss", "aud", "events_supported", "events_delivered", "min_verification_interval"] {
            guard let value = body[name], value != .null else { continue }
            let isSame =
                if let told = value.strings, let known = configuration[name]?.strings {
                    Set(told) == Set(known)
                } else {
                    value == configuration[name]
                }
            guard isSame else { throw OAuthError(.invalidRequest, "\(name) is not what it is here") }
        }
        // Of a poll the address is ours, too.
        let delivery = body["delivery"] ?? .null
        guard delivery["method"]?.string == EventStream.Delivery.pollMethod, let url = delivery["endpoint_url"],
            url != .null, let known = configuration["delivery"],
            known["method"]?.string == EventStream.Delivery.pollMethod
        else { return }
        guard url == known["endpoint_url"] else {
            throw OAuthError(.invalidRequest, "delivery.endpoint_url of a poll is not what it is here")
        }
    }
}
