import Administration
import ArgumentParser
import Keys
import Registration
import Vocabulary

/// What a library wants otherwise than is usual here, for `clients create` and `clients update`. What is not named
/// stays as it is; an empty text is the usual again.
struct ClientSettingOptions: ParsableArguments {
    @Option(
        help: """
            Origin of its pages that may call this server from a browser, as https://app.example, in place of those \
            that it has; may be repeated; empty: none.
            """)
    var webOrigin: [String] = []
    @Option(
        help: ArgumentHelp(
            "Algorithm of its ID tokens; empty: RS256, or the first of signing-algorithms.", valueName: "alg"))
    var idTokenAlg: String?
    @Option(
        help: ArgumentHelp("Algorithm by which userinfo is signed for it; empty: plain JSON.", valueName: "alg"))
    var userinfoAlg: String?
    @Option(
        help: """
            Whom the assertions of private_key_jwt may name: issuer, or endpoint, the issuer and the URL that is \
            asked; empty: issuer.
            """)
    var assertionAudience: String?
    @Flag(
        inversion: .prefixedNo,
        help: "Take its requests without PKCE if they have nonce and openid (RFC 9700, 2.1.1); not for public clients.")
    var allowNonceInstead: Bool?

    var isEmpty: Bool {
        webOrigin.isEmpty && idTokenAlg == nil && userinfoAlg == nil && assertionAudience == nil
            && allowNonceInstead == nil
    }

    /// `algorithms`: those that this server signs by.
    func apply(to metadata: inout ClientMetadata, algorithms: [SigningAlgorithm]) throws {
        if !webOrigin.isEmpty { metadata.webOrigins = webOrigin.filter { !$0.isEmpty } }
        if let idTokenAlg {
            metadata.idTokenAlgorithm = try algorithm(idTokenAlg, "--id-token-alg", of: algorithms)
        }
        if let userinfoAlg {
            metadata.userinfoAlgorithm = try algorithm(userinfoAlg, "--userinfo-alg", of: algorithms)
        }
        if let assertionAudience {
            let word = assertionAudience.isEmpty ? "issuer" : assertionAudience
            guard let audience = ClientMetadata.AssertionAudience(rawValue: word) else {
                throw AdminFailure(.usage, "--assertion-audience takes issuer or endpoint")
            }
            metadata.assertionAudience = audience
        }
        if let allowNonceInstead { metadata.allowsNonceInstead = allowNonceInstead }
    }

    private func algorithm(_ name: String, _ option: String, of algorithms: [SigningAlgorithm]) throws -> String? {
        if name.isEmpty { return nil }
        guard algorithms.contains(where: { $0.rawValue == name }) else {
            throw AdminFailure(
                .invalid,
                """
                \(option): \(name) is not among signing-algorithms: \
                \(algorithms.map(\.rawValue).joined(separator: ", "))
                """)
        }
        return name
    }
}
