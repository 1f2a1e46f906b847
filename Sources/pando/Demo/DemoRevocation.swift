import Base
import PandoClient
import Simulators

/// The end of the walk: the instance, an ancestor of every token, is revoked; then each token is shown where it was
/// good, and must be refused.
struct DemoRevocation: Sendable {
    static let patience = 10

    /// A token that is about to die.
    struct Condemned: Sendable {
        let token: DemoToken
        let whose: String
        /// Seconds in which whoever refuses it must have heard.
        let patience: Int
        let show: @Sendable () async throws -> Void

        init(_ token: DemoToken, _ whose: String, patience: Int, show: @escaping @Sendable () async throws -> Void) {
            (self.token, self.whose, self.patience, self.show) = (token, whose, patience, show)
        }
    }

    let recorder: DemoRecorder
    let service: String
    let person: Person
    let personToken: DemoToken
    let tokens: [Condemned]

    func run(telling teller: inout StepPrinter, tree: inout DemoTree) async throws {
        let url = person.server.issuer + "/instances/" + person.instance
        let (_, _, answer) = try await recorder.record {
            try await person.tokens.send(Transport.Request(method: "DELETE", url: url))
        }
        let exchange = try answer.good(), revokedAt = ContinuousClock.now
        teller.tell(
            DemoStep(
                title: """
                    This one is disconnected: one row of revocation, for the instance, which is above everything here.
                    """,
                main: exchange,
                facts: ["ended": .string("instance \(person.instance)")]))
        teller.draw()
        var latest = 0.0
        for condemned in tokens {
            let (answer, seconds) = try await death(of: condemned, since: revokedAt)
            tree.die(condemned.token.kind)
            latest = max(latest, seconds)
            teller.tell(
                DemoStep(
                    title: "The \(condemned.token.name) is dead: \(condemned.whose) refuses it.", main: answer,
                    token: condemned.token,
                    facts: ["answer": answer.body["error"] ?? .null, "seconds_after_the_cut": .number(seconds)],
                    isDeath: true))
        }
        // It was used up when the service took it; now the node that it was is revoked as well.
        tree.die(.assertion)
        teller.draw(tree, isWhole: true)
        teller.end(
            """
            \(tokens.count) tokens died from one row at the identity provider, and its copy at the service that was \
            told; the last \(latest) s after the revocation.
            """
        )
    }

    /// The refusal, and how long after the revocation it came. The identity provider must know at once; a service hears
    /// by an event.
    private func death(
        of condemned: Condemned, since revoked: ContinuousClock.Instant
    ) async throws -> (DemoExchange, Double) {
        while true {
            let answer = try await recorder.answer(condemned.show), passed = ContinuousClock.now - revoked
            // Only this: a bad proof is a 401 as well, and says nothing of the token.
            if answer.status == 401, answer.body["error"]?.string == "invalid_token" {
                return (answer, (Double(passed / .milliseconds(10))).rounded() / 100)
            }
            try answer.good()
            guard passed < .seconds(condemned.patience) else {
                throw DemoFailure.survived(
                    "the \(condemned.token.name)", seconds: condemned.patience, service: condemned.whose)
            }
            try await Task.sleep(for: .milliseconds(50))
        }
    }
}
