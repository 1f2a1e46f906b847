import Accounts
import Base
import Foundation
import PandoClient
import Simulators

/// Logins with a password, beside the hash that each of them costs.
extension BenchOutsideRows {
    private static let login = "password login"
    /// Enough to keep the hasher busy. What is under way when a measure ends is hashed to its end, before what the next
    /// one sends, so more would be taken from it.
    static let fewConnections = 8

    func measurePasswords(_ report: inout BenchReport) async throws {
        guard isWanted(Self.login) else { return }
        BenchProgress.say("what one password hash costs")
        report.rows.append(
            BenchRow(
                name: BenchLogins.hash, value: try await BenchLogins.hashesPerSecond(for: seconds), unit: .perSecond))
        let logins = try await BenchLogins(server: server, seconds: seconds).requests()
        BenchProgress.say("logins with a password")
        let few = BenchOutsideRows(
            server: server, served: served,
            wrk: try Wrk(connections: min(wrk.connections, Self.fewConnections), folder: folder),
            seconds: seconds, only: only, flames: flames, folder: folder)
        try await few.once(logins, Self.login, [BenchLogins.hash], &report)
    }
}

/// Logins of an app without a browser (draft-ietf-oauth-first-party-apps), each of which ends with a code: of people
/// with one instance each, so that no two attempts of one are under way at once, which is what is limited.
struct BenchLogins: Sendable {
    static let hash = "one password hash (Argon2id), all cores"
    private static let people = 64
    /// Made for each second measured; more than two threads hash.
    private static let abundance = 500

    private struct Login: Sendable { let username: String, token: String, holder: KeyHolder }

    let server: BenchServer
    let seconds: Int

    /// By the server's own hasher with its own parameters, one on each core: the server has one, of two threads.
    static func hashesPerSecond(for seconds: Int) async throws -> Double {
        let password = "a password of the bench"
        let known = try await PasswordHasher(randomness: .system).hash(password)
        let cores = ProcessInfo.processInfo.activeProcessorCount
        return try await BenchThreads.perSecond(threads: cores, seconds: seconds) { deadline in
            let hasher = PasswordHasher(randomness: .system)
            var count = 0
            while ContinuousClock.now < deadline { count += try await hasher.verify(password, known) ? 1 : 0 }
            return count
        }
    }

    func requests() async throws -> [DemoRequest] {
        let composition = server.composition, accounts = AccountStore(clock: composition.clock)
        let password = composition.randomness.identifier(), hash = try await composition.hasher.hash(password)
        let issuer = try await AuthorizationServer.discover(server.issuer, transport: server.transport)
        let version = try server.version.appVersion()
        var logins: [Login] = []
        for number in 1...BenchLogins.people {
            let name = "bench-\(number)", change = AccountChange(email: "\(name)@example.org", name: "Bench \(number)")
            _ = try await accounts.create(username: name, password: hash, change: change, in: composition.database)
            let device = Device(
                id: UUID().uuidString.lowercased(), name: "Bench phone", type: "phone", osVersion: "17.1")
            let instance = try await issuer.register(version, device, key: SigningKey())
            logins.append(
                Login(
                    username: name, token: await instance.tokens.current.accessToken, holder: instance.tokens.holder))
        }
        let url = server.issuer + "/authorize/challenge"
        let challenge = Base64URL.encode(Digest.sha256(String(repeating: "verifier", count: 6)))
        var number = 0
        return try BenchProgress.making(BenchLogins.abundance * (seconds + 1), within: .seconds(8)) {
            let login = logins[number % logins.count], token = login.token
            number += 1
            let proof = try login.holder.proof("POST", url, token: token)
            return DemoRequest(
                method: "POST", url: url, headers: [("Authorization", "DPoP \(token)"), ("DPoP", proof)],
                body: .form([
                    ("response_type", "code"), ("username", login.username), ("password", password),
                    ("code_challenge", challenge), ("code_challenge_method", "S256"),
                ]))
        }
    }
}
