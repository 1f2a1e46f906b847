import PandoClient

/// An app that registers, logs its person in, finds a service, and goes there with a token for an app on the same
/// phone. Each of these may be another run of it: what was made before is in `store`.
public struct SmallApp: Sendable {
    public enum Failure: String, Error {
        case registerFirst = "register first"
        case logInFirst = "log in first"
        case noFactor = "the account asks for a second factor, and the person has none"
        case noService = "no service offers this"
        case anotherIssuer = "these keys and tokens are of another issuer"
    }

    public let server: AuthorizationServer
    public let store: Store

    public init(issuer: String, store: Store, transport: Transport) async throws {
        if let known = await store.kept.issuer, known != issuer { throw Failure.anotherIssuer }
        server = try await AuthorizationServer.discover(issuer, transport: transport)
        self.store = store
    }

    /// Once for each installation; a later version takes over what an earlier one registered.
    public func register(_ version: AppVersion, name: String, type: String, osVersion: String) async throws -> Instance
    {
        let known = await store.kept
        let device = Device(id: known.device, name: name, type: type, osVersion: osVersion)
        let new =
            if known.instance != nil, known.version != version.id {
                try await instance().upgrade(to: version, device, keep: store.keeping("instance"))
            } else {
                try await server.register(
                    version, device, key: store.key(of: "phone"), keep: store.keeping("instance"))
            }
        try await store.change { [server] in
            ($0.issuer, $0.version, $0.instance) = (server.issuer, version.id, new.id)
        }
        return new
    }

    public func instance() async throws -> Instance {
        let kept = await store.kept
        guard let id = kept.instance, let tokens = kept.tokens["instance"] else { throw Failure.registerFirst }
        return try Instance(
            id, of: server, key: try await store.key(of: "phone"), tokens: tokens, keep: store.keeping("instance"))
    }

    /// With `factor` the person shows that one, too. `show` gets the link that they open on another phone, `ask` reads
    /// a code that they have on paper.
    public func logIn(
        username: String, password: String, factor: String? = nil, show: (String) -> Void, ask: () -> String
    ) async throws -> Person {
        let instance = try await instance(), keep = store.keeping("person")
        var answer = try await instance.logIn(
            username: username, password: password, levels: factor == nil ? [] : ["https://refeds.org/profile/mfa"],
            keep: keep)
        var chosen: String?, shown: String?
        while true {
            switch answer {
            case .loggedIn(let person): return person
            case .due(let challenge) where chosen == nil:
                // None: the person gets one at ISSUER/account, in a browser.
                guard !challenge.factors.isEmpty else { throw Failure.noFactor }
                let first = factor ?? challenge.factors.first(where: ["tiqr", "operations"].contains) ?? "recovery"
                chosen = first
                answer = try await instance.choose(first, challenge, keep: keep)
            case .due(let challenge) where chosen == "recovery":
                answer = try await instance.look(challenge, recoveryCode: ask(), keep: keep)
            case .due(let challenge), .pending(let challenge):
                let facts = chosen.flatMap(challenge.shown)
                // That of operations changes every half minute.
                if let link = facts?["auth_url"]?.string ?? facts?["deeplink"]?.string, link != shown {
                    show(link)
                    shown = link
                }
                answer = try await instance.look(challenge, wait: 30, keep: keep)
            }
        }
    }

    public func person() async throws -> Person {
        guard let tokens = await store.kept.tokens["person"] else { throw Failure.logInFirst }
        return try await instance().person(tokens, keep: store.keeping("person"))
    }

    /// The first service that offers a protocol, by a token for the app `bundle` that is bound to its own key.
    public func open(_ name: String, for bundle: String) async throws -> Opened {
        let person = try await person(), key = try await store.key(of: bundle)
        guard let service = try await person.find([name]).first, let link = service.link(of: name) else {
            throw Failure.noService
        }
        let (tokens, endpoint) = try await authorize(bundle, at: service.base, scope: name, key: key, person)
        let family = TokenFamily(tokens, endpoint: endpoint, holder: server.holder(of: key), clientID: bundle)
        return Opened(link: link, tokens: family)
    }

    /// By the service token of an earlier run; from a new assertion where there is none, or where it has ended.
    private func authorize(
        _ bundle: String, at base: String, scope: String, key: SigningKey, _ person: Person
    ) async throws -> (Tokens, endpoint: String) {
        let kept = await store.kept
        if let endpoint = kept.endpoints[base], let tokens = kept.tokens[endpoint] {
            do {
                let access = person.access(tokens, endpoint: endpoint, keep: store.keeping(endpoint))
                return (try await access.authorize(bundle, scope: scope, key: key.verificationKey), endpoint)
            } catch let refusal as OAuthError where [.invalidToken, .invalidGrant].contains(refusal.code) {}
        }
        let grant = try await person.assertion(for: base)
        try await store.change { $0.endpoints[base] = grant.tokenEndpoint }
        let access = try await person.redeem(grant, keep: store.keeping(grant.tokenEndpoint))
        return (
            try await access.authorize(bundle, scope: scope, key: key.verificationKey), grant.tokenEndpoint
        )
    }

    /// Ends this installation and all that came of it, here and at the services.
    public func disconnect() async throws {
        try await instance().disconnect()
        await store.discard()
    }
}

/// A protocol at a service, as an app that has a token for it reaches it.
public struct Opened: Sendable {
    let link: String
    let tokens: TokenFamily

    public func get() async throws -> JSON { try await tokens.send(.get(link)).json() }
}
