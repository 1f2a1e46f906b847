import Foundation
import PandoClient
import Vocabulary

/// Tokens for other apps: for what, for whom, and by whose word.
struct AppTokenCheck: Sendable {
    private static let codes: Set<String> = ["invalid_grant", "invalid_request"]

    let context: CheckContext
    let token: ServiceToken

    /// What was found, and what each protocol's token is.
    func run() async throws -> (findings: [Finding], tokens: [AppToken]) {
        var findings: [Finding] = [], tokens: [AppToken] = []
        for api in context.protocols {
            let (finding, token) = try await grant(api)
            findings.append(finding)
            if let token { tokens.append(token) }
        }
        guard let scope = tokens.first?.api.name else {
            if !context.protocols.isEmpty {
                let says = """
                    The service gives no app token for any of its protocols. Where it takes some apps alone, name \
                    one by --bundle.
                    """
                findings.append(Finding(.error, "app-token", says, .policy))
            }
            return (findings, tokens)
        }
        findings.append(try await unknownScope())
        // Before the next token for the same app and scope takes its place.
        findings.append(try await wrongToken(tokens[0]))
        findings += try await codeRules(scope)
        return (findings, tokens)
    }

    private func grant(_ api: ServiceAPI) async throws -> (Finding, AppToken?) {
        let key = SigningKey(), answer = try await token.grant(context, scope: api.name, key: key)
        guard answer.isGood, let tokens = try? Tokens(answer, now: context.now()) else {
            let isCrash = answer.status >= 500
            let says =
                isCrash
                ? "The service breaks where an app token for \(api.name) is asked for."
                : "No app token for \(api.name) was given: sound where apps are not to have it."
            return (
                Finding(
                    isCrash ? .error : .info, "app-token-none", says, .tokens, evidence: Answered.words(answer)), nil
            )
        }
        let holder = KeyHolder(key: key, transport: context.transport)
        let given = AppToken(api: api, tokens: tokens, holder: holder)
        let scopes = (tokens.scope ?? api.name).split(separator: " ").map(String.init)
        guard scopes.allSatisfy({ ProtocolName.folded($0) == ProtocolName.folded(api.name) }) else {
            let says = "A token for \(api.name) alone was asked for, and one for more was given: give what was asked."
            return (Finding(.error, "scope-widened", says, .tokens, evidence: tokens.scope), given)
        }
        guard tokens.isBound else {
            let says = "The app brought a key and got a token for \(api.name) that is not bound to it."
            return (Finding(.error, "app-token-bound", says, .tokens, evidence: "token_type \(tokens.type)"), given)
        }
        return (
            Finding(.ok, "app-token", "The service gives a token for \(api.name), bound to the app.", .tokens), given
        )
    }

    private func unknownScope() async throws -> Finding {
        let answer = try await token.grant(context, scope: "org.example.no-such-protocol", key: nil)
        return Answered.refusal(
            answer, "scope-unknown", "a scope that it does not offer",
            danger: "scope has to name protocols of yours, or apps get what nobody can judge.",
            codes: ["invalid_scope"], .tokens)
    }

    private func codeRules(_ scope: String) async throws -> [Finding] {
        let endpoint = context.tokenEndpoint, bundle = context.bundle
        func code(for name: String? = nil, at audience: String? = nil, signer: SigningKey? = nil) throws -> String {
            try token.code(
                for: name ?? bundle, at: audience ?? endpoint, key: nil, signedBy: signer, now: context.now())
        }
        let once = try code()
        _ = try await token.ask(once, for: bundle, scope: scope, at: endpoint)
        let wrong: [(String, String, String)] = [
            ("code-reused", "a code that was used before", once),
            ("code-forged", "a code by another key than the installation's", try code(signer: SigningKey())),
            ("code-other-app", "a code that was made for another app", try code(for: "org.example.another")),
            (
                "code-elsewhere", "a code that was made for another service",
                try code(at: "https://another.example/token")
            ),
        ]
        var findings: [Finding] = []
        for (id, what, text) in wrong {
            findings.append(
                Answered.refusal(
                    try await token.ask(text, for: bundle, scope: scope, at: endpoint), id, what,
                    danger: "apps get tokens that the person's app did not ask for.", codes: AppTokenCheck.codes,
                    .tokens))
        }
        return findings
    }

    /// An app token must not make more app tokens.
    private func wrongToken(_ app: AppToken) async throws -> Finding {
        let code = try token.code(
            for: context.bundle, at: context.tokenEndpoint, key: nil, signedBy: app.holder.key, now: context.now())
        let answer = try await token.ask(
            code, for: context.bundle, scope: app.api.name, at: context.tokenEndpoint,
            showing: app.tokens.accessToken, by: app.holder)
        return Answered.refusal(
            answer, "app-token-asks", "an app token where the service token belongs",
            danger: "apps hand out tokens by themselves. Only the service token may.",
            codes: AppTokenCheck.codes.union(["invalid_token", "insufficient_scope"]), .tokens)
    }
}

/// A token for one protocol, and the key that its app would have.
struct AppToken: Sendable {
    let api: ServiceAPI
    let tokens: Tokens
    let holder: KeyHolder
}
