import Base
import Foundation
import Keys
import Vocabulary

/// Who came back from a provider, as it says.
struct UpstreamPerson: Sendable {
    let subject: String
    let sid: String?
    let claims: JSONObject
    /// `amr` values (RFC 8176) for the login here.
    let methods: [String]
    /// When they showed it there.
    let time: Date

    /// `claims` of a verified ID token, and of `userinfo` where it was asked.
    init(_ jwt: JWT, _ more: JSONObject, _ provider: UpstreamProvider, startedAt: Date, now: Date) {
        subject = jwt.string("sub") ?? ""
        sid = jwt.string("sid").flatMap { (1...255).contains($0.utf8.count) ? $0 : nil }
        var claims = jwt.claims
        for member in more where claims[member.name] == nil { claims[member.name] = member.value }
        self.claims = claims
        methods = UpstreamPerson.methods(jwt, provider)
        let told = jwt.date("auth_time") ?? now
        // A clock that is a little behind ours does not make a new login an old one.
        time = told >= startedAt.addingTimeInterval(-JWT.skew) ? now : told
    }

    /// Back from where it waited for somebody to log in with their password (`waiting`).
    init?(waiting: JSONObject) {
        guard let subject = waiting["sub"]?.string, let claims = waiting["claims"]?.object,
            let methods = waiting["methods"]?.strings, let time = waiting["time"]?.integer
        else { return nil }
        (self.subject, self.claims, self.methods) = (subject, claims, methods)
        sid = waiting["sid"]?.string
        self.time = Date(timeIntervalSince1970: TimeInterval(time))
    }

    /// As it waits for somebody to log in with their password.
    func waiting(_ told: [String]) -> JSONObject {
        [
            "sub": .string(subject), "sid": JSONValue(sid), "claims": .object(claims.filtered { told.contains($0) }),
            "methods": JSONValue(strings: methods), "time": .integer(time.numericDate),
        ]
    }

    func person(_ provider: UpstreamProvider) -> PersonClaims {
        PersonClaims(
            claims, names: provider.claims, isVerified: claims["email_verified"]?.bool ?? false,
            owns: { provider.owns(domain: $0) })
    }

    /// What people read who are asked whether it is they.
    func shown(_ provider: UpstreamProvider) -> String {
        let claim: (String) -> String? = { claims[provider.claims[$0] ?? $0]?.string }
        return claim("name") ?? claims["preferred_username"]?.string ?? claim("email") ?? subject
    }

    /// Of RFC 8176, 2, what is registered there; `mfa` where `acr` says so by the provider's table, and not where it
    /// says the contrary. Without a word the login was one of some kind.
    private static func methods(_ jwt: JWT, _ provider: UpstreamProvider) -> [String] {
        var methods = Set(jwt["amr"]?.strings ?? []).intersection(registered)
        if let acr = jwt.string("acr"), let level = level(acr, provider) {
            switch level {
            case .twoFactors: methods.insert("mfa")
            case .oneFactor: methods = methods.subtracting(["mfa"])
            }
            if level == .oneFactor, AuthenticationContext(methods: Array(methods), time: .distantPast).level != level {
                methods = []
            }
        }
        return methods.isEmpty ? ["fed"] : methods.sorted()
    }

    private static func level(_ acr: String, _ provider: UpstreamProvider) -> AuthenticationContext.Level? {
        AuthenticationContext.Level(rawValue: provider.levels[acr] ?? acr)
    }

    private static let registered: Set<String> = [
        "face", "fpt", "geo", "hwk", "iris", "kba", "mca", "mfa", "otp", "pin", "pop", "pwd", "rba", "retina", "sc",
        "sms", "swk", "tel", "user", "vbm", "wia",
    ]
}
