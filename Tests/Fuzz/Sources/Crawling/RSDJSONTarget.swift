import Base
import Harness

@testable import Crawler

/// RSD in JSON: the dialects behind `JSONDialects`. Beside it: the other ways to write the same document.
enum RSDJSONTarget {
    static let target = Target("rsdjson", run: run)
    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private static func run(_ input: [UInt8]) {
        let first = input.first { !Markup.isBlank($0) }
        guard first == UInt8(ascii: "{") || first == UInt8(ascii: "["), let read = ReadOracle.read(input) else {
            return
        }
        require(!read.isDegraded, "JSON is never repaired: \(read.warnings)")
        let value = certain("a document is strict JSON") { try JSONReader.read(input) }
        same(mark + input, read, "a byte order mark")
        same(Array(value.text.utf8), read, "other blanks")
        guard value["apis"] != nil else { return }
        if let wrapped = wrapped(value) { same(Array(wrapped.text.utf8), read, "a service around it") }
        if let listed = listed(value) { same(Array(listed.text.utf8), read, "a list of apis") }
    }

    private static func same(_ body: [UInt8], _ read: ReadDocument, _ difference: String) {
        guard case .success(let again) = ReadOracle.once(body) else { violated("\(difference) is read too") }
        require(again == read, "\(difference) changes nothing")
    }

    /// `nil` when that would nest deeper than the limit.
    private static func wrapped(_ value: JSONValue) -> JSONValue? {
        levels(value) < ReadingLimits.depth ? .object(["service": value]) : nil
    }

    /// The object of apis as an array of objects with `name`.
    private static func listed(_ value: JSONValue) -> JSONValue? {
        guard let apis = value["apis"]?.object, let members = value.object else { return nil }
        let items: [JSONValue] = apis.members.map { member in
            guard let api = member.value.object else { return member.value }
            var named = api.filtered { $0 != "name" }
            named["name"] = .string(member.name)
            return .object(named)
        }
        return .object(
            JSONObject(members.members.map { ($0.name, $0.name == "apis" ? JSONValue.array(items) : $0.value) }))
    }

    private static func levels(_ value: JSONValue) -> Int {
        switch value {
        case .array(let items): 1 + (items.map(levels).max() ?? 0)
        case .object(let object): 1 + (object.members.map { levels($0.value) }.max() ?? 0)
        default: 0
        }
    }
}
