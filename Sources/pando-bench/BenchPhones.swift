import AsyncHTTPClient
import Base
import Database
import Foundation
import OCRA
import Server
import Simulators
import Tiqr
import TokenTree

/// Phones that are enrolled and authentications that wait for them, made in this process by the calls that the routes
/// make.
struct BenchPhones: Sendable {
    static let count = 2_000
    /// Authentications begun for each second measured; more than the server takes.
    static let abundance = 3_000

    private struct Phone: Sendable { let identity: String, suite: OCRASuite, secret: SecretBytes }

    let tiqr: TiqrService
    let database: Database

    private var caller: TiqrCaller { .machine(client: "bench", below: [], actor: AuditActor(name: "client:bench")) }

    /// For one measure: each the right answer to an authentication of its own; `each` of a second.
    func answers(for seconds: Int, each abundance: Int = BenchPhones.abundance) async throws -> [DemoRequest] {
        let phones = try await BenchCrew.make(BenchPhones.count, within: .seconds(120)) { try await enrol($0) }
        guard !phones.isEmpty else { throw BenchFailure.notServing }
        // They live for ten minutes.
        let answers = try await BenchCrew.make(abundance * (seconds + 1), within: .seconds(90)) {
            try await answer(by: phones[$0 % phones.count])
        }
        // Else PostgreSQL plans for tables that are all but empty.
        for table in ["tiqr_identity", "tiqr_enrollment", "tiqr_authentication"] {
            _ = try await database.execute("vacuum (analyze) \(identifier: table)")
        }
        return answers
    }

    private func enrol(_ number: Int) async throws -> Phone {
        let started = try await tiqr.startEnrollment(
            EnrollmentDraft(displayName: "Bench \(number)", externalID: "bench-\(number)"), by: caller)
        let secret = Randomness.system.bytes(32),
            metadata = try await tiqr.metadata(key: BenchPhones.key(in: started.metadataURL)),
            service = metadata?["service"]
        guard let url = service?["enrollmentUrl"]?.string, let suite = service?["ocraSuite"]?.string else {
            throw BenchFailure.notServing
        }
        let form = ["operation": "register", "secret": Hexadecimal.encode(secret)]
        guard try await tiqr.register(secret: BenchPhones.key(in: url), form: form, origin: nil) == .enrolled else {
            throw BenchFailure.notServing
        }
        return Phone(identity: started.view.identity, suite: try OCRASuite(suite), secret: SecretBytes(secret))
    }

    private func answer(by phone: Phone) async throws -> DemoRequest {
        let started = try await tiqr.startAuthentication(
            AuthenticationDraft(identity: phone.identity, expiresIn: 600), by: caller)
        guard let challenge = ScannedChallenge(started.authURL) else { throw BenchFailure.notServing }
        return challenge.answer(
            try challenge.response(phone.suite, phone.secret), of: phone.identity, to: tiqr.settings.authenticationURL)
    }

    /// What stands behind the only `=`.
    private static func key(in url: String) -> String { url.split(separator: "=").last.map(String.init) ?? "" }
}

/// Requests that are sent once each, and whether all of them did what they should: phones are told everything with
/// status 200.
struct BenchAnswers: Sendable {
    let requests: [HTTPClientRequest]
    let database: Database
    private let taken = Locked(0)

    init(requests: [HTTPClientRequest], database: Database) { (self.requests, self.database) = (requests, database) }

    var supply: BenchSupply {
        let requests = self.requests, taken = self.taken
        return BenchSupply { number in
            guard number < requests.count else { return nil }
            taken.with { $0 += 1 }
            return requests[number]
        }
    }

    /// How many the server has taken as right.
    static func right(in database: Database) async throws -> Int {
        try await database.query("select count(*) as answered from tiqr_authentication where state = 'authenticated'")
            .first.map { try $0("answered") } ?? 0
    }

    /// Once all that were taken were answered.
    func check() async throws {
        let wrong = taken.with { $0 } - (try await BenchAnswers.right(in: database))
        guard wrong == 0 else { throw BenchFailure.wrongAnswers(wrong) }
    }
}

/// Sixteen at a time.
enum BenchCrew {
    /// Up to `count` things, as many as are begun within `limit`; `make` gets their numbers.
    static func make<Thing: Sendable>(
        _ count: Int, within limit: Duration, _ make: @escaping @Sendable (Int) async throws -> Thing
    ) async throws -> [Thing] {
        let next = Locked(0), deadline = ContinuousClock.now + limit
        return try await withThrowingTaskGroup(of: [Thing].self) { group in
            for _ in 0..<16 {
                group.addTask {
                    var made: [Thing] = []
                    while ContinuousClock.now < deadline {
                        let number: Int = next.with {
                            $0 += 1
                            return $0 - 1
                        }
                        guard number < count else { break }
                        made.append(try await make(number))
                    }
                    return made
                }
            }
            return try await group.reduce(into: [Thing]()) { $0 += $1 }
        }
    }
}
