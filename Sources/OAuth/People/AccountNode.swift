import Base
import Federation
import Foundation

/// A branch of what a person has let in: an app on a phone, a browser, a web application, a service that one of them
/// opened, a third-party app that holds tokens there.
public struct AccountNode: Sendable {
    public enum Kind: String, Sendable, CaseIterable { case instance, browser, client, service, app }

    /// What ends with it.
    enum Branch: Hashable, Sendable {
        case instance(String), browser(String), client(String)
        case service(Disclosure)
        case app(Disclosure, bundle: String)

        /// No two have the same.
        var label: String {
            let parts =
                switch self {
                case .instance(let id): ["instance", id]
                case .browser(let id): ["browser", id]
                case .client(let id): ["client", id]
                case .service(let told): ["service", told.client, told.service ?? ""]
                case .app(let told, let bundle): ["app", told.client, told.service ?? "", bundle]
                }
            return parts.joined(separator: "\u{0}")
        }
    }

    /// For its person alone; it stays the same as long as the branch does.
    public let id: String
    public let kind: Kind
    /// As the node knows itself: instance, `sid`, client, service, bundle id.
    public let subject: String
    /// Of a browser its User-Agent; `nil` where nobody has said any.
    public let name: String?
    /// The name of its app, of an instance.
    public let app: String?
    public let since: Date
    public let lastUsed: Date
    /// Whether it is what asks; of instances and browsers.
    public let isCurrent: Bool?
    /// `nil` where only the service knows.
    public let children: [AccountNode]?
    let branch: Branch

    /// `name` in its place, where a browser is called otherwise.
    public func json(named name: (AccountNode) -> String? = { $0.name }) -> JSONValue {
        var members: JSONObject = [
            "id": .string(id), "kind": .string(kind.rawValue), "name": JSONValue(name(self)),
            "since": .string(since.rfc3339), "last_used": .string(lastUsed.rfc3339),
        ]
        if let isCurrent { members["current"] = .bool(isCurrent) }
        members["children"] = children.map { .array($0.map { $0.json(named: name) }) } ?? .null
        return .object(members)
    }

    /// It and all below it.
    var all: [AccountNode] { [self] + (children ?? []).flatMap(\.all) }
}
