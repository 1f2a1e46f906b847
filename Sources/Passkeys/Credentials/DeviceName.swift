import Base
import Foundation

/// A name that is shown and stored.
public enum DeviceName {
    static let longest = 100

    /// Without control characters, not blank, cut to `longest` scalars; `nil` when nothing is left.
    public static func fit(_ text: String?) -> String? {
        guard let text else { return nil }
        let line = String(
            String.UnicodeScalarView(
                text.unicodeScalars.prefix(4 * longest).filter { $0.properties.generalCategory != .control }.prefix(
                    longest)))
        return line.allSatisfy(\.isWhitespace) ? nil : line
    }
}
