import Accounts
import Administration
import ArgumentParser
import Base
import Vocabulary

/// What `providers add` and `providers update` say alike.
struct ProviderOptions: ParsableArguments {
    @Option(help: "What people read.") var name: String?
    @Option(
        help: "How this server shows who it is: client_secret_basic (as usual), client_secret_post, private_key_jwt.",
        completion: .list(UpstreamProvider.AuthMethod.allCases.map(\.rawValue)))
    var auth: String?
    @Option(help: "The client's secret there: a file, or - for stdin.", completion: .file()) var clientSecret: String?
    @Option(help: "Scopes with blanks between; as usual: openid profile email.") var scope: String?
    @Option(
        help: """
            By what a person is found whom nobody has linked: sub (nothing: they log in with their password once), \
            email (verified, of the institution's domains), eppn (of its domains).
            """, completion: .list(UpstreamProvider.LinkRule.allCases.map(\.rawValue)))
    var linkBy: String?
    @Flag(inversion: .prefixedNo, help: "Whoever is not known here gets an account of the institution.")
    var create: Bool?
    @Flag(inversion: .prefixedNo, help: "Ask userinfo too, for claims that are not in the ID token.")
    var userinfo: Bool?
    @Option(
        help: ArgumentHelp(
            "That a claim there becomes this member here; may be repeated. Members: "
                + PersonClaims.members.joined(separator: ", ") + ".", valueName: "claim=member"))
    var map: [String] = []
    @Option(
        help: ArgumentHelp(
            "That an acr value there is one factor (sfa) or two (mfa); may be repeated.", valueName: "value=sfa|mfa"))
    var level: [String] = []

    func method() throws -> UpstreamProvider.AuthMethod? {
        try auth.map { word in
            guard let method = UpstreamProvider.AuthMethod(rawValue: word) else {
                throw AdminFailure(.usage, "--auth takes client_secret_basic, client_secret_post or private_key_jwt")
            }
            return method
        }
    }

    func rule() throws -> UpstreamProvider.LinkRule? {
        try linkBy.map { word in
            guard let rule = UpstreamProvider.LinkRule(rawValue: word) else {
                throw AdminFailure(.usage, "--link-by takes sub, email or eppn")
            }
            return rule
        }
    }

    func secret() throws -> SecretBytes? {
        try clientSecret.map { file in
            var text = try AdminInput.text(file)
            while text.hasSuffix("\n") { text.removeLast() }
            guard (1...1_024).contains(text.utf8.count) else {
                throw AdminFailure(.invalid, "a client secret has 1 to 1024 bytes")
            }
            return SecretBytes(Array(text.utf8))
        }
    }

    /// `nil` where nothing was said.
    func scopes() throws -> String? {
        try scope.map { text in
            guard text.split(separator: " ").contains("openid"), text.utf8.count <= 1_000 else {
                throw AdminFailure(.invalid, "--scope holds openid, and is no longer than 1000 bytes")
            }
            return text
        }
    }

    /// Claims by the member that they become.
    func claims() throws -> [String: String]? {
        guard !map.isEmpty else { return nil }
        var claims: [String: String] = [:]
        for pair in map {
            let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { throw AdminFailure(.usage, "--map takes CLAIM=MEMBER, not \(pair)") }
            guard PersonClaims.members.contains(parts[1]) else {
                throw AdminFailure(
                    .invalid, "\(parts[1]) is none of \(PersonClaims.members.joined(separator: ", "))")
            }
            claims[parts[1]] = parts[0]
        }
        return claims
    }

    func levels() throws -> [String: String]? {
        guard !level.isEmpty else { return nil }
        let known = [
            "sfa": AuthenticationContext.Level.oneFactor.rawValue,
            "mfa": AuthenticationContext.Level.twoFactors.rawValue,
        ]
        var levels: [String: String] = [:]
        for pair in level {
            // An acr value is a URI and may hold an equals sign.
            guard let place = pair.lastIndex(of: "="), let word = known[String(pair[pair.index(after: place)...])]
            else {
                throw AdminFailure(.usage, "--level takes VALUE=sfa or VALUE=mfa, not \(pair)")
            }
            levels[String(pair[..<place])] = word
        }
        return levels
    }
}
