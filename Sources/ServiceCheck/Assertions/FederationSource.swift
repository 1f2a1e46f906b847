import Foundation
import PandoClient

/// A real federation, as an app meets it: an installation registers, a person logs in, and `/authorization` gives
/// assertions (docs/for-app-makers.md).
public actor FederationSource: AssertionSource {
    /// The person has to show a second factor, which nobody has here.
    public struct NeedsFactor: Error, Sendable, CustomStringConvertible {
        public var description: String { "the account needs a second factor: use one that logs in by password alone" }
    }

    public nonisolated let name = "federation"
    public nonisolated let issuer: String
    private let base: String
    private let person: Person
    private let installation: Instance
    private let holder: KeyHolder
    private var isEnded = false

    private init(base: String, person: Person, installation: Instance, holder: KeyHolder) {
        (self.base, self.person, self.installation, self.holder) = (base, person, installation, holder)
        issuer = person.server.issuer
    }

    /// Registers a device that is called a check, and logs the person in.
    /// - Parameters:
    ///   - base: the service's, as it is entered in the index.
    ///   - federation: to the issuer.
    ///   - service: to the service under check.
    public static func enter(
        _ issuer: String, base: String, as version: AppVersion, username: String, password: String,
        federation: Transport, service: Transport
    ) async throws -> FederationSource {
        let server = try await AuthorizationServer.discover(issuer, transport: federation), key = SigningKey()
        let device = Device(
            id: UUID().uuidString.lowercased(), name: "Check of services", type: "other", osVersion: "1")
        let installation = try await server.register(version, device, key: key)
        do {
            guard case .loggedIn(let person) = try await installation.logIn(username: username, password: password)
            else { throw NeedsFactor() }
            return FederationSource(
                base: base, person: person, installation: installation,
                holder: KeyHolder(key: key, transport: service))
        } catch {
            // What was made is ended, also where this task was cancelled.
            await Task { try? await installation.disconnect() }.value
            throw error
        }
    }

    public func assertion() async throws -> HeldAssertion {
        let grant = try await person.assertion(for: base)
        return HeldAssertion(text: grant.assertion, instance: installation.id, holder: holder)
    }

    public func assertionForAnother() async throws -> String? {
        let own = try await person.assertion(for: base).tokenEndpoint
        for other in try await person.find(["org.ietf.oauth2"]) where other.base != base {
            // One that was suspended meanwhile is no reason to give up.
            guard let grant = try? await person.assertion(for: other.base), grant.tokenEndpoint != own else { continue }
            return grant.assertion
        }
        return nil
    }

    /// Other tokens of the federation: signed by its keys, and no assertions.
    public func spoilt() async throws -> [SpoiltAssertion] {
        let tokens = try await person.tokens.fresh()
        // Shown bare; one that is bound to no key would let the service in as the person.
        guard tokens.isBound else { return [] }
        return [
            SpoiltAssertion(
                id: "wrong-typ", what: "that is the person's access token at the federation",
                text: tokens.accessToken)
        ]
    }

    public func events() -> [SentEvent]? { nil }

    public func revoke() async throws {
        try await installation.disconnect()
        isEnded = true
    }

    public func end() async {
        guard !isEnded else { return }
        isEnded = true
        let installation = installation
        // The check may have been cancelled; this must be sent all the same.
        await Task { try? await installation.disconnect() }.value
    }
}
