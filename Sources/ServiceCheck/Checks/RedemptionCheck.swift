import Foundation
import PandoClient

/// Good assertions, once; and those of the right issuer that are wrong for this service.
struct RedemptionCheck: Sendable {
    private static let proofCodes = RefusalCheck.codes.union(["invalid_dpop_proof", "invalid_token"])

    let context: CheckContext
    let source: any AssertionSource

    /// What was found, and a service token that lives, for the checks behind this one.
    func run() async throws -> (findings: [Finding], token: ServiceToken?) {
        let held: HeldAssertion
        do {
            held = try await source.assertion()
        } catch let error as CancellationError {
            throw error
        } catch {
            let advice = """
                The federation gives no assertion for this service: enter it in the index, and have it approved.
                """
            return ([Finding(.error, "assertion", advice, .index, evidence: "\(error)")], nil)
        }
        let (first, token) = try await good(held)
        var findings = first
        guard let token else { return (findings, nil) }
        findings += try await reuse(held, token)
        findings.append(try await otherKey())
        findings.append(try await foreign())
        for spoilt in try await source.spoilt() {
            findings.append(try await judge(spoilt))
        }
        // The first token has ended with the second use of its assertion.
        let (_, living) = try await good(try await source.assertion())
        return (findings, living)
    }

    private func good(_ held: HeldAssertion) async throws -> ([Finding], ServiceToken?) {
        let answer: Transport.Response
        do {
            answer = try await context.redeem(held.text, by: held.holder)
        } catch let error as CancellationError {
            throw error
        } catch {
            return ([Answered.silence(error, "redeem", "a good assertion", .assertion)], nil)
        }
        guard answer.isGood else {
            let advice = """
                The service refuses a good assertion: compare iss (\(source.issuer)) and aud \
                (\(context.tokenEndpoint)) with what it expects, and see that it can read \(source.issuer)/jwks.json.
                """
            return ([Finding(.error, "redeem", advice, .assertion, evidence: Answered.words(answer))], nil)
        }
        guard let tokens = try? Tokens(answer, now: context.now()) else {
            let advice = "The answer to a good assertion is no token answer: access_token and token_type are needed."
            return ([Finding(.error, "redeem", advice, .tokens)], nil)
        }
        let token = ServiceToken(tokens: tokens, instance: held.instance, holder: held.holder)
        return (manners(answer, tokens), token)
    }

    /// RFC 6749, 5.1.
    private func manners(_ answer: Transport.Response, _ tokens: Tokens) -> [Finding] {
        var findings = [Finding(.ok, "redeem", "The service takes a good assertion and gives a token.", .assertion)]
        findings.append(
            tokens.isBound
                ? Finding(.ok, "token-bound", "Its token is bound to the key of the installation.", .tokens)
                : Finding(
                    .error, "token-bound",
                    "The service token is not bound to cnf.jwk: whoever gets hold of it can use it. Say "
                        + "token_type DPoP, and ask for proofs.",
                    .tokens, evidence: "token_type \(tokens.type)"))
        if answer.header("Cache-Control")?.lowercased().contains("no-store") != true {
            findings.append(
                Finding(
                    .warning, "no-store", "The token answer lacks Cache-Control: no-store (RFC 6749, 5.1).", .tokens))
        }
        if (try? JSON(bytes: answer.body))?["expires_in"]?.integer == nil {
            findings.append(
                Finding(.warning, "expires-in", "The token answer does not say expires_in, a number.", .tokens))
        }
        return findings
    }

    /// The second use must be refused, and end what came of the first.
    private func reuse(_ held: HeldAssertion, _ token: ServiceToken) async throws -> [Finding] {
        let scope = try await token.firstScope(context)
        let second = try await context.redeem(held.text, by: held.holder)
        let refused = Answered.refusal(
            second, "reuse", "an assertion that was used before",
            danger: "a copy is worth as much as the original. Record its jti where you issue, in one transaction.",
            codes: RefusalCheck.codes, .assertion)
        guard let scope else {
            let says = "The service token gives no app tokens, so it was not seen whether it ends with a second use."
            return [refused, Finding(.info, "reuse-ends", says, .assertion)]
        }
        guard try await token.isAlive(context, scope: scope) else {
            let says = "What came of an assertion ends when it is shown again."
            return [refused, Finding(.ok, "reuse-ends", says, .assertion)]
        }
        let says = """
            After an assertion was shown twice, what came of the first use lives on: end it, as nobody knows which of \
            the two was the thief.
            """
        return [refused, Finding(.error, "reuse-ends", says, .assertion)]
    }

    private func otherKey() async throws -> Finding {
        let held = try await source.assertion()
        let thief = KeyHolder(key: SigningKey(), transport: context.transport)
        return Answered.refusal(
            try await context.redeem(held.text, by: thief), "other-key", "an assertion with a proof by another key",
            danger: "who stole it can use it. The proof's key must be that of cnf.jwk.",
            codes: RedemptionCheck.proofCodes, .assertion)
    }

    private func foreign() async throws -> Finding {
        guard let text = try await source.assertionForAnother() else {
            return Finding(
                .info, "foreign", "No other service was found, so no assertion for another one was tried.", .assertion)
        }
        return Answered.refusal(
            try await context.shown(text), "foreign", "an assertion that was made for another service",
            danger: "every other service can use here what it was given. aud is your token endpoint, exactly.",
            codes: RefusalCheck.codes, .assertion)
    }

    private func judge(_ spoilt: SpoiltAssertion) async throws -> Finding {
        let what = "an assertion " + spoilt.what
        do {
            return Answered.refusal(
                try await context.shown(spoilt.text), spoilt.id, what,
                danger: "each line of the list there has an attack behind it.", codes: RefusalCheck.codes, .assertion)
        } catch let error as CancellationError {
            throw error
        } catch {
            return Answered.silence(error, spoilt.id, what, .assertion)
        }
    }
}
