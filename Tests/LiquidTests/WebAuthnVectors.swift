import Base
import Foundation
@testable import Liquid
import Testing

/// `shared/vectors/webauthn`, which lies beside the repository and not in it.
enum WebAuthnVectors {
    static let folder: URL? = {
        var place = URL(filePath: #filePath).deletingLastPathComponent()
        while place.pathComponents.count > 1 {
            let candidate = place.appending(path: "shared/vectors/webauthn")
            if FileManager.default.fileExists(atPath: candidate.appending(path: "README.md").path) { return candidate }
            place.deleteLastPathComponent()
        }
        return nil
    }()

    static var arePresent: Bool { folder != nil }
    static let whyNot: Comment = "shared/vectors/webauthn is in no folder above this file; its vectors are not tested"

    static func file(_ name: String) throws -> JSONValue {
        let folder = try #require(folder)
        return try JSONReader.read(Data(contentsOf: folder.appending(path: "\(name).json")))
    }

    /// The entries of a file, of which there must be so many: a new one fails until somebody has looked.
    static func rows(_ name: String, _ member: String = "vectors", count: Int) throws -> [JSONValue] {
        let rows = try #require(try file(name)[member]?.array)
        #expect(rows.count == count, "\(name)")
        return rows
    }
}

extension JSONValue {
    /// What is asked for must be there.
    func part(_ names: String...) throws -> JSONValue {
        try names.reduce(self) { value, name in try #require(value[name], "\(name)") }
    }

    func word(_ names: String...) throws -> String {
        let value = try names.reduce(self) { value, name in try #require(value[name], "\(name)") }
        return try #require(value.string)
    }

    func hexadecimal(_ name: String) throws -> [UInt8] { try #require(Hexadecimal.bytes(try word(name)), "\(name)") }
    func raw(_ name: String) throws -> [UInt8] { try #require(Base64URL.decode(try word(name)), "\(name)") }
}

enum Hexadecimal {
    static func bytes(_ text: String) -> [UInt8]? {
        let nibbles = text.compactMap(\.hexDigitValue)
        guard nibbles.count == text.count, nibbles.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: nibbles.count, by: 2).map { UInt8(nibbles[$0] << 4 | nibbles[$0 + 1]) }
    }
}

/// What came of a ceremony, by one word that tests can compare.
enum Outcome: Equatable {
    case fine
    case refused(WebAuthnRefusal)

    static func of(_ ceremony: () async throws -> Void) async throws -> Outcome {
        do {
            try await ceremony()
            return .fine
        } catch let refusal as WebAuthnRefusal {
            return .refused(refusal)
        }
    }
}
