import Base
import Foundation
import PowerAuth
import Testing

/// `shared/vectors/powerauth`, which lies beside the repository and not in it.
public enum PowerAuthVectors {
    public static let folder: URL? = {
        var place = URL(filePath: #filePath).deletingLastPathComponent()
        while place.pathComponents.count > 1 {
            let candidate = place.appending(path: "shared/vectors/powerauth")
            if FileManager.default.fileExists(atPath: candidate.appending(path: "README.md").path) { return candidate }
            place.deleteLastPathComponent()
        }
        return nil
    }()

    public static var arePresent: Bool { folder != nil }
    public static let whyNot: Comment =
        "shared/vectors/powerauth is in no folder above this file; its vectors are not tested"

    public static func file(_ name: String) throws -> VectorRow {
        let folder = try #require(folder)
        return VectorRow(try JSONReader.read(Data(contentsOf: folder.appending(path: "\(name).json"))))
    }

    /// The rows of a file, of which there must be so many: a new one fails until somebody has looked.
    public static func rows(_ name: String, _ section: String? = nil, count: Int) throws -> [VectorRow] {
        let document = try file(name)
        let rows = if let section { try document.part("vectors").rows(section) } else { try document.rows("vectors") }
        #expect(rows.count == count, "\(name)")
        return rows
    }
}

/// A JSON object of a vector file; what is asked for must be there.
public struct VectorRow {
    public let json: JSONValue

    public init(_ json: JSONValue) { self.json = json }

    public func part(_ name: String) throws -> VectorRow { VectorRow(try #require(json[name], "\(name)")) }
    public func rows(_ name: String) throws -> [VectorRow] {
        try #require(json[name]?.array, "\(name)").map { VectorRow($0) }
    }
    public func has(_ name: String) -> Bool { json[name]?.string != nil }
    public func text(_ name: String) throws -> String { try #require(json[name]?.string, "\(name)") }
    public func flag(_ name: String) throws -> Bool {
        let value = json[name]?.bool as Bool?
        return try #require(value, "\(name)")
    }

    /// Some files have numbers as text.
    public func number(_ name: String) throws -> Int {
        let value = try #require(json[name], "\(name)")
        return try #require(value.integer ?? value.string.flatMap { Int($0) }, "\(name)")
    }

    public func raw(_ name: String) throws -> [UInt8] {
        let value = try text(name)
        return try #require(Base64Text.decode(value), "\(name)")
    }

    public func secret(_ name: String) throws -> SecretBytes { SecretBytes(try raw(name)) }

    public func hexadecimal(_ name: String) throws -> [UInt8] {
        let digits = Array(try text(name))
        return try stride(from: 0, to: digits.count - 1, by: 2).map { place -> UInt8 in
            let pair = String(digits[place...place + 1])
            return try #require(UInt8(pair, radix: 16), "\(name)")
        }
    }

    /// A private key: some files have it as a signed number, with a zero before it or with leading zeros left out.
    public func pair(_ name: String) throws -> PowerAuthKeyPair {
        let digits = try raw(name).drop { $0 == 0 }
        return try PowerAuthKeyPair(
            privateBytes: SecretBytes([UInt8](repeating: 0, count: max(0, 32 - digits.count)) + digits))
    }
}
