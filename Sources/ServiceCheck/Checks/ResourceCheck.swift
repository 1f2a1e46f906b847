import Foundation
import PandoClient
import Vocabulary

/// The service's protocols as an app asks them: its own token opens one, and nothing else does.
struct ResourceCheck: Sendable {
    let context: CheckContext
    let service: ServiceToken
    let tokens: [AppToken]

    /// What was found, and the tokens that are seen to open their protocol: those whose end can be watched there.
    func run() async throws -> (findings: [Finding], guarded: [AppToken]) {
        var findings: [Finding] = [], guarded: [AppToken] = []
        for token in tokens {
            let bare: Transport.Response
            do {
                bare = try await context.transport.send(.get(token.api.link))
            } catch let error as CancellationError {
                throw error
            } catch {
                // The links were looked at already.
                continue
            }
            guard bare.status == 401 else {
                let says = """
                    A GET at the link of \(token.api.name) without a token is not answered 401, so tokens were not \
                    tried there.
                    """
                findings.append(
                    Finding(.info, "api-unguarded", says, .tokens, evidence: "\(token.api.link) \(bare.status)"))
                continue
            }
            findings += try await judge(token, bare)
            if try await opens(token) { guarded.append(token) }
        }
        return (findings, guarded)
    }

    /// Whether the token is still taken at its protocol; what comes of it there does not count.
    func opens(_ token: AppToken) async throws -> Bool {
        let answer =
            token.tokens.isBound
            ? try await token.holder.send(.get(token.api.link), showing: token.tokens.accessToken)
            : try await context.transport.send(bearer(token))
        return ![401, 403].contains(answer.status)
    }

    private func bearer(_ token: AppToken) -> Transport.Request {
        var request = Transport.Request.get(token.api.link)
        request.headers.append(("Authorization", "Bearer \(token.tokens.accessToken)"))
        return request
    }

    private func judge(_ token: AppToken, _ bare: Transport.Response) async throws -> [Finding] {
        let name = token.api.name, link = token.api.link
        var findings: [Finding] = []
        if bare.header("WWW-Authenticate") == nil {
            let says = "\(name) answers 401 without WWW-Authenticate, by which apps know what to show (RFC 9449, 7.1)."
            findings.append(Finding(.warning, "api-challenge", says, .tokens))
        }
        findings.append(
            try await opens(token)
                ? Finding(.ok, "api", "\(name) is open to its token.", .tokens)
                : Finding(.error, "api", "\(name) refuses the token that was given for it.", .tokens, evidence: link))
        if token.tokens.isBound {
            let isOpen = ![401, 403].contains(try await context.transport.send(bearer(token)).status)
            findings.append(
                verdict(
                    isOpen, "bound-bare", "\(name) takes a bound token that comes bare: whoever copies it can use it.",
                    "\(name) refuses a bound token that comes bare."))
            let thief = KeyHolder(key: SigningKey(), transport: context.transport)
            let stolen = try await thief.send(.get(link), showing: token.tokens.accessToken)
            findings.append(
                verdict(
                    ![401, 403].contains(stolen.status), "bound-other-key",
                    "\(name) takes a bound token with a proof by another key: whoever copies it can use it.",
                    "\(name) refuses a bound token with a proof by another key."))
        }
        let byService = try await service.holder.send(.get(link), showing: service.tokens.accessToken)
        findings.append(
            verdict(
                ![401, 403].contains(byService.status), "api-service-token",
                "\(name) takes the service token, which is good for asking for app tokens alone.",
                "\(name) refuses the service token."))
        return findings + (try await otherScope(token))
    }

    /// Needs two protocols.
    private func otherScope(_ token: AppToken) async throws -> [Finding] {
        guard
            let other = tokens.first(where: { ProtocolName.folded($0.api.name) != ProtocolName.folded(token.api.name) })
        else { return [] }
        let answer = try await other.holder.send(.get(token.api.link), showing: other.tokens.accessToken)
        return [
            verdict(
                ![401, 403].contains(answer.status), "scope-ignored",
                "\(token.api.name) takes a token for \(other.api.name): look at the scope of what is shown.",
                "\(token.api.name) refuses a token for \(other.api.name).")
        ]
    }

    private func verdict(_ isOpen: Bool, _ id: String, _ bad: String, _ good: String) -> Finding {
        isOpen ? Finding(.error, id, bad, .tokens) : Finding(.ok, id, good, .tokens)
    }
}
