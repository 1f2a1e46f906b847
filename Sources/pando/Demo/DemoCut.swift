import Base
import Simulators

/// The end of the walk: the instance, an ancestor of every token, is cut; then each token is shown where it was good, and must be refused.
struct DemoCut: Sendable {
    static let patience = 10

    let phone: DemoPhone
    let clientID: String
    let instance: DemoToken
    let person: DemoToken
    let service: DemoToken
    let app: DemoToken
    let place: DemoJourney.Place
    let serviceEndpoint: String

    func run(telling teller: inout StepPrinter, tree: inout DemoTree) async throws {
        let exchange = try await phone.wire.send(phone.ask("DELETE", phone.issuer + "/instances/" + clientID, with: person)).good()
        let cutAt = ContinuousClock.now
        teller.tell(DemoStep(title: "This one is disconnected: one row of revocation, for the instance, which is above everything here.", main: exchange,
                             facts: ["ended": .string("instance \(clientID)")]))
        teller.draw()
        var latest = 0.0
        let deaths: [(DemoToken, String, patience: Int, () throws -> DemoRequest)] = [
            (instance, "the identity provider", 0, { try phone.introspection(of: instance) }),
            (person, "the identity provider", 0, { try phone.ask("GET", phone.issuer + "/user-profile", with: person) }),
            (app, place.name, DemoCut.patience, { try phone.ask("GET", place.attributes, with: app) }),
            // Another app than before: a second token for the same one would replace the first.
            (service, place.name, DemoCut.patience, {
                try phone.handOut(to: "org.example.late", scope: DemoJourney.wanted, instance: clientID, with: service, at: serviceEndpoint)
            }),
        ]
        for (token, whose, patience, request) in deaths {
            let (answer, seconds) = try await death(of: token, at: whose, since: cutAt, patience: patience, request)
            tree.die(token.kind)
            latest = max(latest, seconds)
            teller.tell(DemoStep(title: "The \(token.name) is dead: \(whose) refuses it.", main: answer, token: token,
                                 facts: ["answer": answer.body["error"] ?? .null, "seconds_after_the_cut": .number(seconds)], isDeath: true))
        }
        // It was used up when the service took it; now the node that it was is cut as well.
        tree.die(.assertion)
        teller.draw(tree, isWhole: true)
        teller.end("\(deaths.count) tokens died from one row at the identity provider, and its copy at the service that was told; the last \(latest) s after the cut.")
    }

    /// The refusal, and how long after the cut it came. The identity provider must know at once; a service hears by an event.
    private func death(of token: DemoToken, at whose: String, since cut: ContinuousClock.Instant, patience: Int,
                       _ request: () throws -> DemoRequest) async throws -> (DemoExchange, Double) {
        while true {
            let answer = try await phone.wire.send(try request()), passed = ContinuousClock.now - cut
            // Only this: a bad proof is a 401 as well, and says nothing of the token.
            if answer.status == 401, answer.body["error"]?.string == "invalid_token" {
                return (answer, (Double(passed / .milliseconds(10))).rounded() / 100)
            }
            try answer.good()
            guard passed < .seconds(patience) else { throw DemoFailure.survived("the \(token.name)", seconds: patience, service: whose) }
            try await Task.sleep(for: .milliseconds(50))
        }
    }
}
