import Base
import Foundation
import PandoClient
import Simulators

/// The walk: a phone from nothing to an app token at a service, in eleven steps; then the revocation
/// (`DemoRevocation`). Every step is one sentence of api.md.
struct DemoJourney: Sendable {
    static let wanted = "ch.pando.viewer"
    static let otherApp = "org.example.photos"

    private let issuer: String
    private let version: DemoCredentials.Version
    private let login: DemoCredentials.Person
    private let transport: Transport
    private let recorder: DemoRecorder
    private let deviceID = UUID().uuidString.lowercased()
    /// The key of the third-party app on the same phone.
    private let appKey = SigningKey()
    private var teller: StepPrinter
    private var tree: DemoTree

    private init(
        _ issuer: String, _ version: DemoCredentials.Version, _ login: DemoCredentials.Person, wire: DemoWire,
        _ teller: StepPrinter
    ) {
        (self.issuer, self.version, self.login, self.teller) = (issuer, version, login, teller)
        recorder = DemoRecorder()
        (transport, tree) = (recorder.transport(wire), DemoTree(version: version.name))
    }

    /// Walks with a fresh device against the server at `issuer`.
    static func walk(
        _ issuer: String, _ version: DemoCredentials.Version, _ person: DemoCredentials.Person,
        telling teller: StepPrinter
    ) async throws {
        try await DemoWire.open { wire in
            var journey = DemoJourney(issuer, version, person, wire: wire, teller)
            try await journey.walk()
        }
    }

    private mutating func walk() async throws {
        teller.begin(issuer)
        let server = try await readMetadata()
        let (instance, instanceToken) = try await register(at: server)
        let (person, first) = try await logIn(with: instance)
        try await readProfile(of: person)
        let service = try await discover(with: person)
        let grant = try await obtainAssertion(for: service, with: person)
        let (access, serviceToken) = try await redeem(grant, at: service, with: person)
        let (app, appToken) = try await handOut(access, server)
        let attributes = service.link(of: DemoJourney.wanted) ?? service.base
        try await look(at: attributes, with: app)
        let second = try await rotate(person, first, appToken) { try await app.send(.get(attributes)) }
        try await listInstances(of: person)
        let revoked = DemoRevocation(
            recorder: recorder, service: service.name, person: person, personToken: second,
            tokens: [
                .init(instanceToken, "the identity provider", patience: 0) {
                    _ = try await instance.introspect(instanceToken.text)
                },
                .init(second, "the identity provider", patience: 0) { _ = try await person.profile() },
                .init(appToken, service.name, patience: DemoRevocation.patience) {
                    _ = try await app.send(.get(attributes))
                },
                // Another app than before: a second token for the same one would replace the first.
                .init(serviceToken, service.name, patience: DemoRevocation.patience) {
                    _ = try await access.authorize("org.example.late", scope: DemoJourney.wanted)
                },
            ])
        try await revoked.run(telling: &teller, tree: &tree)
    }

    private mutating func grow(_ step: DemoStep) {
        teller.tell(step)
        if let kind = step.token?.kind { tree.grow(kind) }
        teller.draw(tree, isWhole: step.token?.kind == .app)
    }

    private mutating func tell(_ title: String, _ exchange: DemoExchange, facts: JSONObject) {
        teller.tell(DemoStep(title: title, main: exchange, facts: facts))
        teller.draw()
    }

    private mutating func readMetadata() async throws -> AuthorizationServer {
        let (server, exchange, _) = try await recorder.record {
            try await AuthorizationServer.discover(issuer, transport: transport)
        }
        tell(
            "The phone reads what the server can do.", exchange,
            facts: ["issuer": .string(server.issuer), "grants": exchange.body["grant_types_supported"] ?? []])
        return server
    }

    private mutating func register(at server: AuthorizationServer) async throws -> (Instance, DemoToken) {
        let device = Device(id: deviceID, name: "Demo phone", type: "phone", osVersion: "17.1")
        let version = try self.version.appVersion()
        let (instance, exchange, _) = try await recorder.record {
            try await server.register(version, device, key: SigningKey())
        }
        let token = try DemoToken(.instance, exchange, holder: "the phone's")
        let (said, look, _) = try await recorder.record { try await instance.introspect(token.text) }
        guard said["active"]?.bool == true else { throw DemoFailure.unexpected(look, "the new token is not active") }
        grow(
            DemoStep(
                title:
                    """
                    It registers: the key of version \(self.version.name) of \(DemoFederation.app) vouches for the \
                    software, its own key comes along.
                    """,
                main: exchange, after: [look], token: token,
                facts: ["client_id": .string(instance.id), "device": .string(deviceID)]))
        return (instance, token)
    }

    private mutating func logIn(with instance: Instance) async throws -> (Person, DemoToken) {
        let (answer, challenge, exchange) = try await recorder.record {
            try await instance.logIn(username: login.username, password: login.password)
        }
        // A person of whom a second factor is asked has no use for this demo.
        guard case .loggedIn(let person) = answer else { throw DemoFailure.refused(exchange) }
        let token = try DemoToken(.person, exchange, holder: "the phone's")
        grow(
            DemoStep(
                title:
                    """
                    \(login.username.capitalized) logs in without a browser; the code, with PKCE, becomes a personal \
                    access token (PAT).
                    """,
                main: exchange, before: [challenge], token: token))
        return (person, token)
    }

    private mutating func readProfile(of person: Person) async throws {
        let (_, exchange, _) = try await recorder.record { try await person.profile() }
        let core = exchange.body.array?.first
        tell(
            "With the PAT it asks who its person is.", exchange,
            facts: [
                "userid": core?["userid"] ?? .null, "mailaddress": core?["mailaddress"] ?? .null,
                "name": core?["extra"]?["name"] ?? .null,
            ])
    }

    /// A server that has just begun to live has not crawled its services yet: a few seconds are normal.
    private mutating func discover(with person: Person) async throws -> DiscoveredService {
        let limit = ContinuousClock.now + .seconds(20)
        while true {
            let (found, exchange, _) = try await recorder.record { try await person.find([DemoJourney.wanted]) }
            if let service = found.first, let link = service.link(of: DemoJourney.wanted) {
                tell(
                    "It looks for services that offer \(DemoJourney.wanted).", exchange,
                    facts: [
                        "found": .string(service.name), "base": .string(service.base), "protocol_at": .string(link),
                    ])
                return service
            }
            guard ContinuousClock.now < limit else { throw DemoFailure.notDiscovered(DemoJourney.wanted) }
            try await Task.sleep(for: .milliseconds(250))
        }
    }

    private mutating func obtainAssertion(
        for service: DiscoveredService, with person: Person
    ) async throws -> AssertionGrant {
        let (grant, exchange, _) = try await recorder.record { try await person.assertion(for: service.base) }
        guard let token = DemoToken(.assertion, grant.assertion, holder: "the phone's") else {
            throw DemoFailure.unexpected(exchange, "code is not a JWT")
        }
        grow(
            DemoStep(
                title: "It asks for an assertion: good for this one service, and for one use.", main: exchange,
                token: token,
                facts: ["for": .string(grant.tokenEndpoint)]))
        return grant
    }

    private mutating func redeem(
        _ grant: AssertionGrant, at service: DiscoveredService, with person: Person
    ) async throws -> (ServiceAccess, DemoToken) {
        let (access, exchange, _) = try await recorder.record { try await person.redeem(grant) }
        let token = try DemoToken(.service, exchange, holder: "the phone's")
        grow(
            DemoStep(
                title: "\(service.name) takes the assertion and gives a token of its own, which hangs below it.",
                main: exchange, token: token))
        return (access, token)
    }

    private mutating func handOut(
        _ access: ServiceAccess, _ server: AuthorizationServer
    ) async throws -> (TokenFamily, DemoToken) {
        let (tokens, exchange, _) = try await recorder.record {
            try await access.authorize(DemoJourney.otherApp, scope: DemoJourney.wanted, key: appKey.verificationKey)
        }
        let token = try DemoToken(.app, exchange, holder: "the other app's")
        grow(
            DemoStep(
                title:
                    """
                    The phone hands a token to another app, \(DemoJourney.otherApp): for one protocol, bound to that \
                    app's own key.
                    """,
                main: exchange, token: token, facts: ["scope": exchange.body["scope"] ?? .null]))
        let holder = server.holder(of: appKey)
        return (
            TokenFamily(tokens, endpoint: access.tokens.endpoint, holder: holder, clientID: DemoJourney.otherApp), token
        )
    }

    private mutating func look(at attributes: String, with app: TokenFamily) async throws {
        let (_, _, answer) = try await recorder.record { try await app.send(.get(attributes)) }
        let exchange = try answer.good()
        var facts: JSONObject = ["sub": exchange.body["sub"] ?? .null]
        for attribute in exchange.body["attributes"]?.object ?? [:] { facts[attribute.name] = attribute.value }
        tell(
            "That app uses it, and learns what the federation told the service about the person.", exchange,
            facts: facts)
    }

    private mutating func rotate(
        _ person: Person, _ old: DemoToken, _ app: DemoToken, _ look: () async throws -> Transport.Response
    ) async throws -> DemoToken {
        let (_, rotation, _) = try await recorder.record {
            try await person.tokens.refresh(after: await person.tokens.current)
        }
        let token = try DemoToken(.person, rotation, holder: "the phone's")
        let (_, _, child) = try await recorder.record { try await look() }
        teller.tell(
            DemoStep(
                title: "The phone rotates its PAT by refresh token. What hangs below lives on.", main: rotation,
                after: [try child.good()], token: token,
                facts: ["before": .string(old.shortID), "still_good": .string(app.name)]))
        teller.draw(tree)
        return token
    }

    private mutating func listInstances(of person: Person) async throws {
        let (_, _, answer) = try await recorder.record { try await person.tokens.send(.get(issuer + "/instances")) }
        let exchange = try answer.good()
        let lines = (exchange.body.array ?? []).map { entry -> JSONValue in
            .string(
                """
                \(entry["id"]?.string ?? "") (\(entry["name"]?.string ?? "?"), \
                \(entry["device_type"]?.string ?? "?"))\(entry["current"]?.bool == true ? ", this one" : "")
                """
            )
        }
        tell(
            "\(login.username.capitalized) looks at the phones that are logged in.", exchange,
            facts: ["count": .integer(lines.count), "instances": .array(Array(lines.prefix(5)))])
    }
}
