import Foundation
import HTTP
import OAuth
import TokenTree

/// How long what this server issues lives, in seconds (docs/design/decisions.md, Federation 6).
extension Setting {
    static let lifetimeInstanceToken = Setting(
        "lifetime-instance-token", "seconds that the access token of an app instance lives", default: "31536000")
    static let lifetimePAT = Setting(
        "lifetime-pat", "seconds that a personal access token lives", default: "2592000")
    static let lifetimeAssertion = Setting(
        "lifetime-assertion", "seconds within which an assertion can be redeemed", default: "300")
    static let lifetimeServiceToken = Setting(
        "lifetime-service-token", "seconds that an access token of a built-in service lives", default: "86400")
    static let lifetimeAppToken = Setting(
        "lifetime-app-token", "seconds that an access token of a third-party app lives", default: "3600")
    static let lifetimeAccessToken = Setting(
        "lifetime-access-token", "seconds that an access token of a web client or machine lives", default: "3600")
    static let lifetimeCode = Setting(
        "lifetime-code", "seconds within which an authorization code can be redeemed", default: "60")
    static let lifetimeWebIdle = Setting(
        "lifetime-web-idle", "seconds without use after which the refresh token of a web client ends",
        default: "2592000")

    static let lifetimeRememberedWay = Setting(
        "lifetime-remembered-way", "seconds for which a browser remembers how somebody logged in; 0 for never",
        default: "31536000")

    static let ofLifetimes = [
        lifetimeInstanceToken, lifetimePAT, lifetimeAssertion, lifetimeServiceToken, lifetimeAppToken,
        lifetimeAccessToken, lifetimeCode, lifetimeWebIdle, lifetimeRememberedWay,
    ]
}

extension Lifetimes {
    /// Bounds: RFC 6749, 4.1.2 wants codes of ten minutes at most; rows of tokens lie in partitions that are made for
    /// 400 days (`PartitionPlan`), and keys are published for longer than any token lives (`SigningKeys.Settings`); and
    /// who checks by itself begins with what ended within two lives of an access token (docs/local-checks.md).
    init(_ values: SettingValues, eventsKept: TimeInterval) throws {
        func seconds(_ setting: Setting, _ range: ClosedRange<Int>) throws -> TimeInterval {
            TimeInterval(try values.number(setting, in: range))
        }
        self.init()
        let day = 86_400
        instanceToken = try seconds(.lifetimeInstanceToken, 3_600...365 * day)
        personalAccessToken = try seconds(.lifetimePAT, 300...365 * day)
        assertion = try seconds(.lifetimeAssertion, 30...3_600)
        serviceToken = try seconds(.lifetimeServiceToken, 60...30 * day)
        appToken = try seconds(.lifetimeAppToken, 60...30 * day)
        accessToken = try seconds(.lifetimeAccessToken, 60...day)
        code = try seconds(.lifetimeCode, 10...600)
        webIdle = try seconds(.lifetimeWebIdle, 3_600...366 * day)
        rememberedWay = try seconds(.lifetimeRememberedWay, 0...400 * day)
        guard 2 * accessToken <= eventsKept else {
            throw SettingValues.unacceptable(
                .lifetimeAccessToken, "events-kept must be at least twice as long, for who checks tokens by itself")
        }
    }
}

extension Settings {
    /// The most that a client or service may be given, of the same reason.
    public var longestAccessToken: Int { min(86_400, Int(events.kept / 2)) }
}
