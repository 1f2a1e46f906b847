import Base
import Foundation

/// The keys under which tiqr-server-libphp encrypted its secrets: its setting `keys`, one `id: hexadecimal` a line, as
/// it stands in that server's YAML. Quotes around either are dropped; blank lines, and what follows a `#` at the
/// beginning of a line, are nothing. Ids count in lower case.
public struct StorageKeys: Sendable {
    public struct Malformed: Error, Equatable, CustomStringConvertible {
        public let line: Int
        public var description: String {
            "line \(line) is no `id: key`, with 16, 24 or 32 bytes in hexadecimal, or its id is there twice"
        }
    }

    public static let none = StorageKeys()

    private var keys: [String: SecretBytes] = [:]

    private init() {}

    public init(_ text: String) throws(Malformed) {
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let line = line.trimmingCharacters(in: .whitespacesAndNewlines)
            guard !line.isEmpty, !line.hasPrefix("#") else { continue }
            let halves = line.split(separator: ":", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " \t'\",")) }
            guard halves.count == 2, !halves[0].isEmpty, let key = Hexadecimal.decode(halves[1]),
                [16, 24, 32].contains(key.count),
                keys.updateValue(SecretBytes(key), forKey: halves[0].lowercased()) == nil
            else { throw Malformed(line: index + 1) }
        }
    }

    subscript(id: String) -> SecretBytes? { keys[id.lowercased()] }
}
