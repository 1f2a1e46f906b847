import Foundation
import PandoClient

/// What a token endpoint must refuse from anybody: forgeries, nonsense, and requests that are none.
struct RefusalCheck: Sendable {
    static let codes: Set<String> = ["invalid_grant", "invalid_request"]
    static let danger = """
        whoever made it gets a token of yours in anybody's name. Check type, issuer, signature and audience before \
        anything else.
        """

    let context: CheckContext

    func run() async throws -> [Finding] {
        var findings = try await reach()
        guard findings.allSatisfy({ $0.severity != .error }) else { return findings }
        for wrong in try await forgeries() { findings.append(try await judge(wrong)) }
        return findings + (try await oddRequests())
    }

    /// Whether there is a token endpoint at all, so that its absence is said once.
    private func reach() async throws -> [Finding] {
        do {
            let answer = try await context.transport.send(.form(context.tokenEndpoint, [("grant_type", "urn:none")]))
            guard [404, 405, 501].contains(answer.status) || (300..<400).contains(answer.status) else { return [] }
            return [
                Finding(
                    .error, "token-endpoint",
                    "There is no token endpoint at \(context.tokenEndpoint): apps post assertions there.", .assertion,
                    evidence: Answered.words(answer))
            ]
        } catch let error as CancellationError {
            throw error
        } catch {
            return [Answered.silence(error, "token-endpoint", "at \(context.tokenEndpoint)", .assertion)]
        }
    }

    /// As near to a good one as can be.
    private func forgeries() async throws -> [SpoiltAssertion] {
        guard let source = context.source, let held = try? await source.assertion(), let jwt = try? JWT(held.text)
        else {
            let claims = Forgeries.likeness(
                issuer: context.issuer ?? "https://federation.example", tokenEndpoint: context.tokenEndpoint,
                now: context.now())
            return try Forgeries.of(claims, keyID: nil)
        }
        return try Forgeries.of(jwt.claims, keyID: jwt.keyID, original: held.text)
    }

    private func judge(_ wrong: SpoiltAssertion) async throws -> Finding {
        let what = "an assertion " + wrong.what
        do {
            return Answered.refusal(
                try await context.shown(wrong.text), wrong.id, what, danger: RefusalCheck.danger,
                codes: RefusalCheck.codes, .assertion)
        } catch let error as CancellationError {
            throw error
        } catch {
            return Answered.silence(error, wrong.id, what, .assertion)
        }
    }

    private func oddRequests() async throws -> [Finding] {
        let endpoint = context.tokenEndpoint
        let odd: [(String, String, Transport.Request, Set<String>)] = [
            (
                "grant-unknown", "a grant that nobody knows", .form(endpoint, [("grant_type", "urn:example:none")]),
                ["unsupported_grant_type"]
            ),
            (
                "grant-missing", "a form without grant_type", .form(endpoint, [("assertion", "a.b.c")]),
                ["invalid_request", "unsupported_grant_type"]
            ),
            (
                "assertion-missing", "a form without assertion",
                .form(endpoint, [("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer")]), RefusalCheck.codes
            ),
        ]
        var findings: [Finding] = []
        for (id, what, request, codes) in odd {
            do {
                findings.append(
                    Answered.refusal(
                        try await context.transport.send(request), id, what,
                        danger: "no token may come of it (RFC 6749, 5.2).", codes: codes, .assertion))
            } catch let error as CancellationError {
                throw error
            } catch {
                findings.append(Answered.silence(error, id, what, .assertion))
            }
        }
        return findings
    }
}
