import Base
import Foundation
import Testing

/// The published vectors of `shared/vectors/jose`, which lies beside the repository and not in it.
enum Vectors {
    static let folder: URL? = {
        var place = URL(filePath: #filePath).deletingLastPathComponent()
        while place.pathComponents.count > 1 {
            let candidate = place.appending(path: "shared/vectors/jose")
            if FileManager.default.fileExists(atPath: candidate.path) { return candidate }
            place.deleteLastPathComponent()
        }
        return nil
    }()

    static var arePresent: Bool { folder != nil }
    static let whyNot: Comment =
        "shared/vectors/jose is in no folder above this file; the published vectors are not tested"

    static func read(_ name: String) throws -> JSONValue {
        let folder = try #require(folder)
        return try JSONReader.read(Data(contentsOf: folder.appending(path: name)))
    }

    /// The example of `rfc-examples.json` with this name.
    static func rfc(_ name: String) throws -> (key: JSONValue, compact: String) {
        let examples = try #require(read("rfc-examples.json")["jws"]?.array)
        let example = try #require(examples.first { $0["name"]?.string == name })
        return (example["key"] ?? nil, try #require(example["compact"]?.string))
    }
}

extension JSONValue {
    /// A published private key without its private members.
    var publicHalf: JSONValue {
        guard case .object(var members) = self else { return self }
        for name in ["d", "p", "q", "dp", "dq", "qi"] { members[name] = nil }
        return .object(members)
    }
}
