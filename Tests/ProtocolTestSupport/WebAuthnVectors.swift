import Base
import Foundation
import Testing
import WebAuthn

/// `shared/vectors/webauthn`, which lies beside the repository and not in it.
public enum WebAuthnVectors {
    public static let folder: URL? = {
        var place = URL(filePath: #filePath).deletingLastPathComponent()
        while place.pathComponents.count > 1 {
            let candidate = place.appending(path: "shared/vectors/webauthn")
            if FileManager.default.fileExists(atPath: candidate.appending(path: "README.md").path) { return candidate }
            place.deleteLastPathComponent()
        }
        return nil
    }()

    public static var arePresent: Bool { folder != nil }
    public static let whyNot: Comment =
        "shared/vectors/webauthn is in no folder above this file; its vectors are not tested"

    public static func file(_ name: String) throws -> JSONValue {
        let folder = try #require(folder)
        return try JSONReader.read(Data(contentsOf: folder.appending(path: "\(name).json")))
    }

    /// The entries of a file, of which there must be so many: a new one fails until somebody has looked.
    public static func rows(_ name: String, _ member: String = "vectors", count: Int) throws -> [JSONValue] {
        let rows = try #require(try file(name)[member]?.array)
        #expect(rows.count == count, "\(name)")
        return rows
    }
}

extension JSONValue {
    /// What is asked for must be there.
    public func part(_ names: String...) throws -> JSONValue {
        try names.reduce(self) { value, name in try #require(value[name], "\(name)") }
    }

    public func word(_ names: String...) throws -> String {
        let value = try names.reduce(self) { value, name in try #require(value[name], "\(name)") }
        return try #require(value.string)
    }

    public func hexadecimal(_ name: String) throws -> [UInt8] {
        try #require(Hexadecimal.decode(try word(name)), "\(name)")
    }
    public func raw(_ name: String) throws -> [UInt8] { try #require(Base64URL.decode(try word(name)), "\(name)") }
}

/// What came of a ceremony, by one word that tests can compare.
public enum Outcome: Equatable {
    case fine
    case refused(WebAuthnRefusal)

    public static func of(_ ceremony: () async throws -> Void) async throws -> Outcome {
        do {
            try await ceremony()
            return .fine
        } catch let refusal as WebAuthnRefusal {
            return .refused(refusal)
        }
    }
}
