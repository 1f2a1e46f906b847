import Base
import Foundation
import Simulators

/// The walk: a phone from nothing to an app token at a service, in eleven steps; then the cut (`DemoCut`). Every step is one sentence of api.md.
struct DemoJourney: Sendable {
    static let wanted = "ch.pando.viewer"

    let phone: DemoPhone
    let person: DemoCredentials.Person
    var teller: StepPrinter
    private var tree: DemoTree

    /// Where the service is, as discovery and the IdP say.
    struct Place: Sendable {
        let name: String, base: String, attributes: String
    }

    private init(_ phone: DemoPhone, _ person: DemoCredentials.Person, _ teller: StepPrinter) {
        (self.phone, self.person, self.teller, tree) = (phone, person, teller, DemoTree(version: phone.version.name))
    }

    /// Walks with a fresh device against the server at `issuer`.
    static func walk(_ issuer: String, _ version: DemoCredentials.Version, _ person: DemoCredentials.Person, telling teller: StepPrinter) async throws {
        try await DemoWire.open { wire in
            var journey = DemoJourney(DemoPhone(issuer: issuer, wire: wire, version: version), person, teller)
            try await journey.walk()
        }
    }

    private mutating func walk() async throws {
        teller.begin(phone.issuer)
        let loginEndpoint = try await readMetadata()
        let (instance, clientID) = try await register()
        let first = try await logIn(with: instance, at: loginEndpoint)
        try await readProfile(first)
        let place = try await discover(with: first)
        let (assertion, endpoint) = try await obtainAssertion(for: place, with: first)
        let service = try await redeem(assertion, at: endpoint, place)
        let app = try await handOut(instance: clientID, with: service, at: endpoint)
        try await look(at: place, with: app)
        let second = try await rotate(first, app, place)
        try await listInstances(second)
        let cut = DemoCut(phone: phone, clientID: clientID, instance: instance, person: second, service: service, app: app, place: place, serviceEndpoint: endpoint)
        try await cut.run(telling: &teller, tree: &tree)
    }

    private func send(_ request: DemoRequest) async throws -> DemoExchange { try await phone.wire.send(request) }

    private mutating func grow(_ step: DemoStep) {
        teller.tell(step)
        if let kind = step.token?.kind { tree.grow(kind) }
        teller.draw(tree, isWhole: step.token?.kind == .app)
    }

    private mutating func tell(_ title: String, _ exchange: DemoExchange, facts: JSONObject) {
        teller.tell(DemoStep(title: title, main: exchange, facts: facts))
        teller.draw()
    }

    private mutating func readMetadata() async throws -> String {
        let exchange = try await send(DemoRequest(method: "GET", url: phone.issuer + "/.well-known/oauth-authorization-server"))
        let says = try exchange.text("issuer")
        guard says == phone.issuer else { throw DemoFailure.anotherIssuer(asked: phone.issuer, says: says) }
        tell("The phone reads what the server can do.", exchange, facts: ["issuer": .string(says), "grants": exchange.body["grant_types_supported"] ?? []])
        return try exchange.text("authorization_challenge_endpoint")
    }

    private mutating func register() async throws -> (DemoToken, clientID: String) {
        let exchange = try await send(phone.registration())
        let token = try DemoToken(.instance, exchange, holder: "the phone's"), clientID = try exchange.text("client_id")
        let look = try await send(phone.introspection(of: token)).good()
        guard look.body["active"]?.bool == true else { throw DemoFailure.unexpected(look, "the new token is not active") }
        grow(DemoStep(title: "It registers: the key of version \(phone.version.name) of \(DemoFederation.app) vouches for the software, its own key comes along.",
                      main: exchange, after: [look], token: token, facts: ["client_id": .string(clientID), "device": .string(phone.deviceID)]))
        return (token, clientID)
    }

    private mutating func logIn(with instance: DemoToken, at endpoint: String) async throws -> DemoToken {
        let verifier = Base64URL.encode(Randomness.system.bytes(32))
        let challenge = try await send(phone.login(person, verifier: verifier, with: instance, at: endpoint))
        let code = try challenge.text("authorization_code")
        let exchange = try await send(phone.tokenRequest([("grant_type", "authorization_code"), ("code", code), ("code_verifier", verifier)]))
        let token = try DemoToken(.person, exchange, holder: "the phone's")
        grow(DemoStep(title: "\(person.username.capitalized) logs in without a browser; the code, with PKCE, becomes a personal access token (PAT).",
                      main: exchange, before: [challenge], token: token))
        return token
    }

    private mutating func readProfile(_ pat: DemoToken) async throws {
        let exchange = try await send(phone.ask("GET", phone.issuer + "/user-profile", with: pat)).good()
        let core = exchange.body.array?.first
        tell("With the PAT it asks who its person is.", exchange,
             facts: ["userid": core?["userid"] ?? .null, "mailaddress": core?["mailaddress"] ?? .null, "name": core?["extra"]?["name"] ?? .null])
    }

    /// A server that has just begun to live has not crawled its services yet: a few seconds are normal.
    private mutating func discover(with pat: DemoToken) async throws -> Place {
        let limit = ContinuousClock.now + .seconds(20)
        while true {
            let exchange = try await send(phone.ask("POST", phone.issuer + "/protocol-discovery", with: pat, .json([.string(DemoJourney.wanted)]))).good()
            if let document = exchange.body.array?.first, let apis = document["apis"], let base = apis["org.ietf.oauth2"]?["apiLink"]?.string,
               let link = apis[DemoJourney.wanted]?["apiLink"]?.string {
                let place = Place(name: document["engineName"]?.string ?? base, base: base, attributes: link)
                tell("It looks for services that offer \(DemoJourney.wanted).", exchange, facts: ["found": .string(place.name), "base": .string(base), "protocol_at": .string(link)])
                return place
            }
            guard ContinuousClock.now < limit else { throw DemoFailure.notDiscovered(DemoJourney.wanted) }
            try await Task.sleep(for: .milliseconds(250))
        }
    }

    private mutating func obtainAssertion(for place: Place, with pat: DemoToken) async throws -> (DemoToken, endpoint: String) {
        let exchange = try await send(phone.ask("POST", phone.issuer + "/authorization", with: pat, .form([("response_type", "code"), ("resource", place.base)])))
        guard let token = DemoToken(.assertion, try exchange.text("code"), holder: "the phone's") else { throw DemoFailure.unexpected(exchange, "code is not a JWT") }
        let endpoint = try exchange.text("redirect_uri")
        grow(DemoStep(title: "It asks for an assertion: good for this one service, and for one use.", main: exchange, token: token, facts: ["for": .string(endpoint)]))
        return (token, endpoint)
    }

    private mutating func redeem(_ assertion: DemoToken, at endpoint: String, _ place: Place) async throws -> DemoToken {
        let exchange = try await send(phone.redemption(assertion.text, at: endpoint))
        let token = try DemoToken(.service, exchange, holder: "the phone's")
        grow(DemoStep(title: "\(place.name) takes the assertion and gives a token of its own, which hangs below it.", main: exchange, token: token))
        return token
    }

    private mutating func handOut(instance: String, with service: DemoToken, at endpoint: String) async throws -> DemoToken {
        let exchange = try await send(phone.handOut(to: DemoPhone.otherApp, scope: DemoJourney.wanted, instance: instance, with: service, at: endpoint))
        let token = try DemoToken(.app, exchange, holder: "the other app's")
        grow(DemoStep(title: "The phone hands a token to another app, \(DemoPhone.otherApp): for one protocol, bound to that app's own key.",
                      main: exchange, token: token, facts: ["scope": exchange.body["scope"] ?? .null]))
        return token
    }

    private mutating func look(at place: Place, with app: DemoToken) async throws {
        let exchange = try await send(phone.ask("GET", place.attributes, with: app)).good()
        var facts: JSONObject = ["sub": exchange.body["sub"] ?? .null]
        for attribute in exchange.body["attributes"]?.object ?? [:] { facts[attribute.name] = attribute.value }
        tell("That app uses it, and learns what the federation told the service about the person.", exchange, facts: facts)
    }

    private mutating func rotate(_ pat: DemoToken, _ app: DemoToken, _ place: Place) async throws -> DemoToken {
        let rotation = try await send(phone.tokenRequest([("grant_type", "refresh_token"), ("refresh_token", pat.refreshToken ?? "")]))
        let token = try DemoToken(.person, rotation, holder: "the phone's")
        let child = try await send(phone.ask("GET", place.attributes, with: app)).good()
        teller.tell(DemoStep(title: "The phone rotates its PAT by refresh token. What hangs below lives on.", main: rotation, after: [child], token: token,
                             facts: ["before": .string(pat.shortID), "still_good": .string(app.name)]))
        teller.draw(tree)
        return token
    }

    private mutating func listInstances(_ pat: DemoToken) async throws {
        let exchange = try await send(phone.ask("GET", phone.issuer + "/instances", with: pat)).good()
        let lines = (exchange.body.array ?? []).map { entry -> JSONValue in
            .string("\(entry["id"]?.string ?? "") (\(entry["name"]?.string ?? "?"), \(entry["device_type"]?.string ?? "?"))\(entry["current"]?.bool == true ? ", this one" : "")")
        }
        tell("\(person.username.capitalized) looks at the phones that are logged in.", exchange, facts: ["count": .integer(lines.count), "instances": .array(Array(lines.prefix(5)))])
    }
}
