import AsyncHTTPClient
import Base
import Foundation
import Simulators

/// One person on one phone, logged in: a PAT, and the key that its proofs are made with.
struct BenchPerson: Sendable {
    private let house: BenchHouse
    private let phone: DemoPhone
    private let token: DemoToken

    static func loggedIn(_ house: BenchHouse) async throws -> BenchPerson {
        let phone = house.phone, issuer = phone.issuer
        let instance = try DemoToken(.instance, try await house.send(phone.registration()), holder: "the phone's")
        let verifier = Base64URL.encode(Randomness.system.bytes(32))
        let code = try await house.send(phone.login(house.person, verifier: verifier, with: instance, at: issuer + "/authorize/challenge")).text("authorization_code")
        let exchange = try await house.send(phone.tokenRequest([("grant_type", "authorization_code"), ("code", code), ("code_verifier", verifier)]))
        return BenchPerson(house: house, phone: phone, token: try DemoToken(.person, exchange, holder: "the phone's"))
    }

    /// With a fresh proof, which is good once.
    func request(_ method: String, _ path: String, _ body: DemoRequest.Body = .none) throws -> HTTPClientRequest {
        house.request(try phone.ask(method, phone.issuer + path, with: token, body))
    }
}
