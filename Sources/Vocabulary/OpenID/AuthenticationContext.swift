import Foundation

/// How well and when a person was authenticated (OpenID Connect Core, 2: `acr`, `amr`, `auth_time`; values of RFC 8176
/// and of the REFEDS assurance suite).
public struct AuthenticationContext: Sendable, Equatable {
    /// What research and education federations call the strength of a login (https://refeds.org/profile/sfa and /mfa).
    public enum Level: String, Sendable, CaseIterable {
        case oneFactor = "https://refeds.org/profile/sfa"
        case twoFactors = "https://refeds.org/profile/mfa"
    }

    /// `amr` values of RFC 8176: `pwd`, `otp`, `hwk`, …; `mfa` where one answer showed two factors, as a phone and its
    /// PIN do.
    public let methods: [String]
    /// Of the latest of them.
    public let time: Date

    public init(methods: [String], time: Date) { (self.methods, self.time) = (methods.sorted(), time) }

    /// Two of something known, held, or inherent.
    public var level: Level {
        let kinds = Set(methods.compactMap { AuthenticationContext.kinds[$0] })
        return kinds.count > 1 || methods.contains("mfa") ? .twoFactors : .oneFactor
    }

    /// Whether it is as strong as `wanted`, or stronger.
    public func reaches(_ wanted: Level) -> Bool { wanted == .oneFactor || level == .twoFactors }

    private enum Kind { case known, held, inherent }
    private static let kinds: [String: Kind] = [
        "pwd": .known, "pin": .known, "otp": .held, "hwk": .held, "swk": .held, "sc": .held, "fpt": .inherent,
        "face": .inherent,
    ]
}
