import Foundation

/// What stdout is, as far as it matters to what is written there.
public struct Terminal: Sendable {
    /// In columns; `nil` where it is no terminal, and nothing is shortened or coloured.
    public let width: Int?
    public let hasColours: Bool

    public static let none = Terminal(width: nil, hasColours: false)

    /// Asked anew for each result, as people change the size of windows. Set by whoever runs commands where somebody
    /// may look: ArgumentParser makes commands itself, so none can be handed it.
    public static var current: @Sendable () -> Terminal { source.tell }

    /// A struct around a function: with the bare function as the value of a task, release builds of Swift 6.3.1 were
    /// seen to crash.
    public struct Source: Sendable {
        let tell: @Sendable () -> Terminal

        public init(_ tell: @escaping @Sendable () -> Terminal) { self.tell = tell }
    }

    @TaskLocal public static var source = Source { .none }

    public init(width: Int?, hasColours: Bool) { (self.width, self.hasColours) = (width, hasColours) }

    /// `noColour`: the environment says NO_COLOR, or that the terminal is a dumb one.
    public static func standardOutput(noColour: Bool) -> Terminal {
        guard isatty(STDOUT_FILENO) != 0 else { return .none }
        var size = winsize()
        let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        return Terminal(width: isKnown ? Int(size.ws_col) : 80, hasColours: !noColour)
    }
}

/// Words that say how something stands, in the colour that people know them by. Colour is never alone: the word says
/// it.
enum StatusColour: Int {
    case good = 32, waiting = 33, bad = 31

    /// Members whose values are such words.
    static let members: Set<String> = ["status", "state", "outcome", "severity", "live"]

    init?(_ word: String) {
        switch word {
        case "active", "live", "ok", "done", "yes", "good", "approved", "verified": self = .good
        case "pending", "warning", "next", "retiring", "stale", "waiting", "expired", "suspended": self = .waiting
        case "revoked", "refused", "blocked", "dead", "error", "failed", "removed", "gone", "used", "no": self = .bad
        default: return nil
        }
    }

    func paint(_ text: String) -> String { "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" }
}
