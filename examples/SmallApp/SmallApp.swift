import Foundation
import PandoClient

/// An app that registers, logs its person in, finds a service that greets, and goes there.
public struct SmallApp: Sendable {
    public static let bundle = "org.example.small"
    static let wanted = "org.example.greetings"

    public enum Failure: Error { case needsSecondFactor, noService, noGreeting }

    public let issuer: String
    public let version: AppVersion
    public let transport: Transport

    public init(issuer: String, version: AppVersion, transport: Transport) {
        (self.issuer, self.version, self.transport) = (issuer, version, transport)
    }

    /// The way from nothing to a token for the protocol. An app that is started again has kept what it made.
    public func connect(username: String, password: String) async throws -> Greetings {
        let server = try await AuthorizationServer.discover(issuer, transport: transport)
        let device = Device(id: UUID().uuidString, name: "Small phone", type: "phone", osVersion: "17.4")
        let instance = try await server.register(version, device, key: SigningKey())
        guard case .loggedIn(let person) = try await instance.logIn(username: username, password: password) else {
            throw Failure.needsSecondFactor
        }
        guard let service = try await person.find([Self.wanted]).first, let link = service.link(of: Self.wanted) else {
            throw Failure.noService
        }
        let access = try await person.join(service.base)
        let key = SigningKey()
        let tokens = try await access.authorize(Self.bundle, scope: Self.wanted, key: key.verificationKey)
        let holder = server.holder(of: key)
        let family = TokenFamily(tokens, endpoint: access.tokens.endpoint, holder: holder, clientID: Self.bundle)
        return Greetings(link: link, tokens: family, instance: instance)
    }
}

/// The service, as the app reaches it.
public struct Greetings: Sendable {
    let link: String
    let tokens: TokenFamily
    public let instance: Instance

    public func greeting() async throws -> String {
        let answer = try await tokens.send(.get(link)).json()
        guard let greeting = answer["greeting"]?.string else { throw SmallApp.Failure.noGreeting }
        return greeting
    }
}
