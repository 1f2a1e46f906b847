import Foundation
import HTTP

extension Setting {
    static let nodeName = Setting(
        "node-name", "what this machine, container or pod is called in logs and traces; empty for its host name")
}

/// The value of `node-name`.
enum NodeName {
    /// As long as a host name may be (RFC 1035, 2.3.4).
    private static let longest = 253

    /// `host`: what the machine calls itself.
    static func of(_ setting: String, host: @autoclosure () -> String = NodeName.host) throws -> String {
        guard setting.isEmpty else {
            guard setting.utf8.count <= longest, setting.unicodeScalars.allSatisfy(isPlain) else {
                throw SettingValues.unacceptable(
                    .nodeName,
                    "write up to \(longest) letters, digits, dots, hyphens and underscores, as node-1.example")
            }
            return setting
        }
        // The kernel takes any bytes for a host name, and nothing says that it has one.
        let name = String(String.UnicodeScalarView(host().unicodeScalars.map { isPlain($0) ? $0 : "-" }))
        return name.isEmpty ? "localhost" : name
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", ".", "-", "_": true
        default: false
        }
    }

    /// Of the kernel alone: nobody is asked who might not answer.
    private static var host: String {
        var name = [CChar](repeating: 0, count: longest + 1)
        guard gethostname(&name, longest) == 0 else { return "" }
        return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
