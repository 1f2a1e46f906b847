import Base
import Foundation
import Testing

/// `shared/vectors/tiqr/tiqr-vectors.json`, which lies beside the repository and not in it.
public enum TiqrVectors {
    public static let file: URL? = {
        var place = URL(filePath: #filePath).deletingLastPathComponent()
        while place.pathComponents.count > 1 {
            let candidate = place.appending(path: "shared/vectors/tiqr/tiqr-vectors.json")
            if FileManager.default.fileExists(atPath: candidate.path) { return candidate }
            place.deleteLastPathComponent()
        }
        return nil
    }()

    public static var arePresent: Bool { file != nil }
    public static let whyNot: Comment =
        "shared/vectors/tiqr is in no folder above this file; its vectors are not tested"

    public static func all() throws -> JSONValue {
        let file = try #require(file)
        return try JSONReader.read(Data(contentsOf: file))
    }

    /// The rows of a section, of which there must be so many: a new one fails until somebody has looked.
    public static func rows(_ section: String, count: Int) throws -> [JSONValue] {
        let file = try all()
        let rows = try #require(file[section]?.array)
        #expect(rows.count == count)
        return rows
    }
}

extension JSONValue {
    /// A member that is there and says something.
    public func text(_ name: String) -> String? { self[name]?.string.flatMap { $0.isEmpty ? nil : $0 } }
}
