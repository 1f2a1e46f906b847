import Foundation

/// The bytes of a file or of stdin as they come, for what may be larger than memory should hold. Of a command that was
/// not given on a command line they are what its argument holds.
public struct InputPieces {
    private static let piece = 65_536

    private var given: String?
    private let handle: FileHandle?

    /// `-` is stdin.
    public init(_ path: String) throws {
        if AdminInput.given != nil {
            (given, handle) = (try AdminInput.text(path), nil)
            return
        }
        guard let handle = path == "-" ? FileHandle.standardInput : FileHandle(forReadingAtPath: path) else {
            throw AdminFailure(.invalid, "\(path) cannot be read")
        }
        self.handle = handle
    }

    /// `nil` at the end.
    public mutating func next() throws -> [UInt8]? {
        if let text = given {
            given = nil
            return Array(text.utf8)
        }
        guard let data = try handle?.read(upToCount: InputPieces.piece), !data.isEmpty else { return nil }
        return Array(data)
    }

    /// How many lines there are; `nil` where what was read would be gone.
    public static func lines(_ path: String) throws -> Int? {
        guard path != "-" || AdminInput.given != nil else { return nil }
        var pieces = try InputPieces(path), lines = 0
        while let piece = try pieces.next() {
            for byte in piece where byte == UInt8(ascii: "\n") { lines += 1 }
        }
        return lines
    }
}
