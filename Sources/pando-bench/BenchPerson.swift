import AsyncHTTPClient
import Foundation
import PandoClient
import Simulators

/// One person on one phone, logged in: a PAT, and the key that its proofs are made with.
struct BenchPerson: Sendable {
    private let server: BenchServer
    let holder: KeyHolder
    let token: String

    static func loggedIn(_ server: BenchServer) async throws -> BenchPerson {
        let issuer = try await AuthorizationServer.discover(server.issuer, transport: server.transport)
        let device = Device(id: UUID().uuidString.lowercased(), name: "Bench phone", type: "phone", osVersion: "17.1")
        let instance = try await issuer.register(try server.version.appVersion(), device, key: SigningKey())
        let login = server.person
        guard case .loggedIn(let person) = try await instance.logIn(username: login.username, password: login.password)
        else { throw BenchFailure.notServing }
        let token = await person.tokens.current.accessToken
        return BenchPerson(server: server, holder: person.tokens.holder, token: token)
    }

    /// With a fresh proof, which is good once.
    func request(_ method: String, _ path: String, _ body: DemoRequest.Body = .none) throws -> DemoRequest {
        let url = server.issuer + path, proof = try holder.proof(method, url, token: token)
        let headers = [(name: "Authorization", value: "DPoP \(token)"), (name: "DPoP", value: proof)]
        return DemoRequest(method: method, url: url, headers: headers, body: body)
    }
}
