import Foundation

/// What a person has shown in one login, event by event: the one place that says how strong it is and how old, for
/// `acr`, `amr` and `auth_time` (OpenID Connect Core, 2), for `max_age` and step-up (RFC 9470), and for whoever wants
/// to change what they log in with.
///
/// Pure: the table only keeps events. A level counts with events that are as recent as the time told with it: two
/// factors of 9:00 and a password of 15:00 are two factors at 9:00, or one at 15:00, and nothing else.
public struct AuthenticationHistory: Sendable, Equatable {
    /// One answer of the person.
    public struct Event: Sendable, Equatable {
        public let at: Date
        /// `amr` values that this answer proved.
        public let methods: [String]
        /// The second factor that was shown, by its name; `nil`: none, or nobody wrote it down.
        public let factor: String?

        public init(at: Date, methods: [String], factor: String? = nil) {
            (self.at, self.methods, self.factor) = (at, methods, factor)
        }

        /// Two factors in one answer, as a phone and its PIN, or a passkey and its gesture.
        var isWhole: Bool { methods.contains("mfa") }
        var isPassword: Bool { methods.contains("pwd") }
    }

    /// Seconds within which answers belong to one login: a password, and the phone that was asked for after it.
    static let oneLogin: TimeInterval = 900

    /// Oldest first.
    public let events: [Event]
    /// When the login began, should nobody have written down an event.
    private let began: Date

    public init(_ events: [Event], began: Date) { (self.events, self.began) = (events.sorted { $0.at < $1.at }, began) }

    /// The name under which an answer is kept that was given at an institution's own identity provider.
    public static let upstream = "upstream"

    /// Without what was shown at somebody else's, who may say of it what they like.
    public var ofOurs: AuthenticationHistory {
        AuthenticationHistory(events.filter { $0.factor != AuthenticationHistory.upstream }, began: began)
    }

    /// Of the latest answer.
    public var latest: Date { events.last?.at ?? began }

    /// When a password was last typed.
    public var passwordAt: Date? { events.last { $0.isPassword }?.at }

    /// The latest moment since which answers make this level; `nil`: never.
    public func time(of level: AuthenticationContext.Level) -> Date? {
        guard !events.isEmpty else { return level == .oneFactor ? began : nil }
        return events.last { event in
            AuthenticationContext(methods: methods(from: event.at), time: event.at).reaches(level)
        }?.at
    }

    /// When a factor was last shown that `takes` wants, by its name; `""` stands for two factors in one answer of which
    /// nobody wrote down the name. Possession alone is a second factor beside a password only, so it is as old as the
    /// older of both, and without a password it is none.
    public func shownAt(_ takes: (String) -> Bool) -> Date? {
        let wanted = events.filter { takes($0.factor ?? "") }
        let whole = wanted.last { $0.isWhole }?.at
        let held = wanted.last { !$0.isWhole && $0.factor != nil }?.at
        let beside = held.flatMap { held in passwordAt.map { min(held, $0) } }
        return [whole, beside].compactMap { $0 }.max()
    }

    /// What is told: the strongest level that was reached, with the time at which it was; `amr` names what else was
    /// shown in that login. `since` asks for something as recent as that (`max_age`, `prompt=login`): what is older
    /// does not count then. Where nothing is, the latest answer is told: it was recent enough a moment ago.
    public func context(since: Date? = nil) -> AuthenticationContext {
        let earliest = since.map { min($0, latest) } ?? .distantPast
        for level in [AuthenticationContext.Level.twoFactors, .oneFactor] {
            guard let time = time(of: level), time >= earliest else { continue }
            return AuthenticationContext(
                methods: methods(from: max(time.addingTimeInterval(-Self.oneLogin), earliest)), time: time)
        }
        return AuthenticationContext(methods: [], time: began)
    }

    private func methods(from start: Date) -> [String] {
        Array(Set(events.filter { $0.at >= start }.flatMap(\.methods)))
    }
}
