import Base

/// Members that a back office adds to the object which phones read: apps that are built on the SDK read their own
/// there, such as `playSound`.
enum CustomProperties {
    static let most = 32
    static let deepest = 8
    /// Of all together, as text: phones read up to a hundred operations every few seconds.
    static let longest = 8_192

    /// The object's own (protocols/operations.md, 1.3), and what the SDKs keep beside them under a name of their own.
    static let reserved: Set<String> = [
        "id", "name", "data", "status", "statusReason", "operationCreated", "operationExpires",
        "allowedSignatureType", "formData", "ui", "proximityCheck",
    ]

    /// `nil` where there are none.
    static func checked(_ members: JSONObject?) throws(BackOfficeRefusal) -> JSONObject? {
        guard let members, !members.isEmpty else { return nil }
        guard members.names.count <= most else { throw .request("customProperties are at most \(most)") }
        for (name, value) in members {
            guard Placeholders.isName(name) else {
                throw .request("a custom property's name has 1 to 64 letters, digits, '.', '_' and '-'")
            }
            guard !reserved.contains(name) else { throw .request("\(name) is no custom property: operations have it") }
            // A member that is null breaks the list on one of the SDKs, and says nothing on the other.
            guard !value.holdsNull else { throw .request("custom property \(name) holds null") }
            guard value.depth <= deepest else {
                throw .request("custom property \(name) is nested deeper than \(deepest)")
            }
        }
        guard JSONValue.object(members).bytes.count <= longest else {
            throw .request("customProperties are longer than \(longest) bytes")
        }
        return members
    }
}

/// Under what a phone without a network signs: SDKs have a word of their own unless the app names another.
enum OfflineURI {
    static func checked(_ text: String?) throws(BackOfficeRefusal) -> String? {
        guard let text else { return nil }
        guard text.utf8.first == UInt8(ascii: "/"), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .request("offlineUriId begins with a slash and has visible ASCII characters only")
        }
        return text
    }
}

extension JSONValue {
    /// Itself or anything in it.
    var holdsNull: Bool {
        switch self {
        case .null: true
        case .array(let items): items.contains { $0.holdsNull }
        case .object(let object): object.contains { $0.value.holdsNull }
        case .bool, .integer, .number, .string: false
        }
    }

    /// 0 of what holds nothing.
    fileprivate var depth: Int {
        switch self {
        case .array(let items): 1 + (items.map(\.depth).max() ?? 0)
        case .object(let object): 1 + (object.map { $0.value.depth }.max() ?? 0)
        case .null, .bool, .integer, .number, .string: 0
        }
    }
}
