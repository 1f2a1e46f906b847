import Foundation
import PandoClient

/// Whether what has ended is dead at the service, and how soon.
struct RevocationCheck: Sendable {
    private static let pause = Duration.milliseconds(250)

    let context: CheckContext
    let source: any AssertionSource
    let token: ServiceToken
    /// Those whose end can be seen at their protocol.
    let guarded: [AppToken]
    let resources: ResourceCheck

    func run() async throws -> [Finding] {
        let scope = try await token.firstScope(context)
        guard scope != nil || !guarded.isEmpty else {
            let says = "No token was seen to open anything, so none could be seen to end."
            return [Finding(.info, "revocation", says, .endings)]
        }
        do {
            try await source.revoke()
        } catch let error as CancellationError {
            throw error
        } catch {
            let says = "The service could not be told that the installation has ended."
            return [Finding(.error, "revocation", says, .endings, evidence: "\(error)")]
        }
        let began = ContinuousClock.now
        var living = try await living(scope)
        while !living.isEmpty, ContinuousClock.now - began < context.patience {
            try await Task.sleep(for: RevocationCheck.pause)
            living = try await self.living(scope)
        }
        let seconds = Int(context.patience.components.seconds)
        guard living.isEmpty else {
            let says = """
                \(seconds) s after its installation was revoked, \(living.joined(separator: " and ")) still \
                lives: note what has ended before you answer 202, and look at it whenever a token is shown. \
                (`pando admin events status` says what the service was told.)
                """
            return [Finding(.error, "revocation", says, .endings)]
        }
        let took = Double(((ContinuousClock.now - began) / .milliseconds(100)).rounded()) / 10
        let says = "Tokens die with the installation that they hang from: after \(took) s."
        return [Finding(.ok, "revocation", says, .endings)] + (try await late())
    }

    /// What is still good, in words.
    private func living(_ scope: String?) async throws -> [String] {
        var living: [String] = []
        if let scope, try await token.isAlive(context, scope: scope) { living.append("the service token") }
        for app in guarded where try await resources.opens(app) {
            living.append("the token for \(app.api.name)")
        }
        return living
    }

    /// An assertion that was made before the end, and comes behind it. A federation gives none any more.
    private func late() async throws -> [Finding] {
        guard let held = try? await source.assertion() else { return [] }
        return [
            Answered.refusal(
                try await context.redeem(held.text, by: held.holder), "revoked-lineage",
                "an assertion of an installation that has ended",
                danger: "events may be faster than apps: look for each member of lineage among what has ended.",
                codes: RefusalCheck.codes, .assertion)
        ]
    }
}
