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
        // By the C library: byte by byte, a build without optimisation takes a tenth of a second for each new password.
        (self.bytes, starts) = (bytes, bytes.withUnsafeBytes(CommonPasswords.starts))
        let disorder = bytes.withUnsafeBytes { [starts] all in
            (1..<starts.count - 1).first { line in
                let before = starts[line - 1]..<starts[line] - 1, this = starts[line]..<starts[line + 1] - 1
                return !CommonPasswords.precedes(all[before], all[this])
            }
        }
        if let disorder {
            throw Unreadable(
                description:
                    "the list of common passwords, \(name), is not in the order of its bytes: see line \(disorder + 1)")
        }
    }

    private static func starts(_ all: UnsafeRawBufferPointer) -> [Int] {
        var starts = [0]
        guard let base = all.baseAddress else { return starts }
        while let last = starts.last, last < all.count,
            let end = memchr(base + last, Int32(lineEnd), all.count - last)
        {
            starts.append(UnsafeRawPointer(end) - base + 1)
        }
        return starts
    }

    private static func precedes(_ one: Slice<UnsafeRawBufferPointer>, _ other: Slice<UnsafeRawBufferPointer>) -> Bool {
        let (one, other) = (UnsafeRawBufferPointer(rebasing: one), UnsafeRawBufferPointer(rebasing: other))
        guard let left = one.baseAddress, let right = other.baseAddress else { return one.count < other.count }
        let order = memcmp(left, right, min(one.count, other.count))
        return order == 0 ? one.count < other.count : order < 0
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
