import Foundation

/// Passwords that are tried first because many people have them: one a line, folded (`PasswordRule.folded`), in the
/// order of their UTF-8 bytes.
///
/// Kept as the file's bytes and searched by halves, so it takes the memory of the file and no more.
public struct CommonPasswords: Sendable {
    public struct Unreadable: Error, Sendable, CustomStringConvertible {
        public let description: String
    }

    private let bytes: [UInt8]
    /// Where each line begins, and one more behind the last.
    private let starts: [Int]

    public var count: Int { starts.count - 1 }

    /// A list out of order would be searched in vain and let everything pass, so it is refused.
    public init(file: URL) throws(Unreadable) {
        guard let data = try? Data(contentsOf: file) else {
            throw Unreadable(description: "the list of common passwords, \(file.path), cannot be read")
        }
        try self.init(bytes: Array(data), name: file.path)
    }

    init(bytes: [UInt8], name: String) throws(Unreadable) {
        guard bytes.last == CommonPasswords.lineEnd else {
            throw Unreadable(description: "the list of common passwords, \(name), is empty or its last line has no end")
        }
        var starts = [0]
        for (place, byte) in bytes.enumerated() where byte == CommonPasswords.lineEnd { starts.append(place + 1) }
        (self.bytes, self.starts) = (bytes, starts)
        for line in 1..<count where !self.line(line - 1).lexicographicallyPrecedes(self.line(line)) {
            throw Unreadable(
                description:
                    "the list of common passwords, \(name), is not in the order of its bytes: see line \(line + 1)")
        }
    }

    /// `password` is folded.
    public func contains(_ password: String) -> Bool {
        let wanted = Array(password.utf8)
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if line(middle).lexicographicallyPrecedes(wanted) { low = middle + 1 } else { high = middle }
        }
        return low < count && line(low).elementsEqual(wanted)
    }

    private func line(_ number: Int) -> ArraySlice<UInt8> { bytes[starts[number]..<starts[number + 1] - 1] }

    private static let lineEnd = UInt8(ascii: "\n")
}
