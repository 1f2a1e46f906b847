/// What came of a push. Texts are for the log, and hold neither address nor token.
public enum PushResult: Sendable, Equatable {
    case delivered
    /// The app is no longer there: its address is forgotten, all else goes on.
    case addressGone
    /// Nothing that a later try would change.
    case refused(String)
    case later(String)

    /// What a status says by itself; `said` is for the log.
    public init(status: Int, _ said: String) {
        switch status {
        case 200..<300: self = .delivered
        case 408, 425, 429, 500...: self = .later(said)
        default: self = .refused(said)
        }
    }
}
