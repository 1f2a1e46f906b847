import Foundation
import PandoClient
import Synchronization
import Testing

@Suite("a service that missed events asks for them")
struct MissedEventsTests {
    private actor Journal {
        private(set) var taken: [Int] = []
        private(set) var heard: [Date] = []
        private var names: Set<String> = []

        var position: Int { taken.max() ?? 0 }
        func isTaken(_ id: String) -> Bool { names.contains(id) }
        func hear(_ time: Date) { heard.append(time) }
        func take(_ token: SecurityEventToken) {
            names.insert(token.id)
            taken.append(token.sequence ?? 0)
        }
    }

    private static let issuer = "https://id.example.org", base = "https://learn.example.org"
    private let signer = SigningKey(), journal = Journal()

    private func token(_ seq: Int, _ name: String = "ended") throws -> String {
        let body: JSON = name == "ended" ? ["node": "n", "seq": .integer(seq)] : ["seq": .integer(seq)]
        return try signer.sign(
            [
                "iss": .string(Self.issuer), "aud": .string(Self.base), "jti": .string("\(name)\(seq)"),
                "iat": .integer(1_795_000_000 + seq), "events": .object(["urn:pando:event:\(name)": body]),
            ], header: ["typ": "secevent+jwt"])
    }

    private func receive(_ text: String, stored: ClosedRange<Int>?) async throws -> Transport.Response {
        try await receiver(stored: stored).receive(Array(text.utf8))
    }

    /// `stored` are the numbers that the federation still has; `nil`: it does not answer. `latest` is what it says is
    /// the highest; `forged`: its events are by another's key.
    private func receiver(stored: ClosedRange<Int>?, latest: Int? = nil, forged: Bool = false) throws -> EventReceiver {
        let journal = self.journal, signer = self.signer
        let tokens = try (stored.map(Array.init) ?? []).map { ($0, try token($0)) }
        let transport = Transport { request in
            guard stored != nil, request.headers.contains(where: { $0.value.hasPrefix("Basic ") }) else {
                return Transport.Response(status: 503)
            }
            let after = Int(request.url.split(separator: "=").last ?? "") ?? 0
            let page = tokens.filter { $0.0 > after }.prefix(2)
            let sets = Dictionary(uniqueKeysWithValues: page.map { ("ended\($0.0)", JSON.string($0.1)) })
            let isMore = (page.last?.0 ?? .max) < (tokens.last?.0 ?? 0)
            let highest = latest ?? stored?.upperBound ?? 0
            let json: JSON = ["sets": .object(sets), "moreAvailable": .bool(isMore), "latest": .integer(highest)]
            return Transport.Response(status: 200, body: try json.bytes())
        }
        let key = forged ? SigningKey().verificationKey : signer.verificationKey
        return EventReceiver(
            issuer: Self.issuer, base: Self.base, keys: .fixed([key]),
            journal: .init(
                isTaken: { await journal.isTaken($0) }, isRevoked: { _ in false },
                take: { await journal.take($0) }),
            catchUp: CatchUp(
                missed: .basic(issuer: Self.issuer, clientID: "learn", secret: "s", transport: transport),
                position: { await journal.position }, heard: { await journal.hear($0) }))
    }

    @Test("what is missing comes first, once each and in order")
    func gap() async throws {
        #expect(try await receive(token(5), stored: 1...5).status == 202)
        #expect(try await receive(token(5), stored: 1...5).status == 202)
        #expect(try await receive(token(2), stored: 1...5).status == 202)

        #expect(await journal.taken == [1, 2, 3, 4, 5])
    }

    @Test("what the federation no longer has is passed over")
    func lost() async throws {
        #expect(try await receive(token(5), stored: 4...5).status == 202)

        #expect(await journal.taken == [4, 5])
    }

    @Test("where it cannot be fetched, the event is to be sent again, and nothing was taken")
    func away() async throws {
        #expect(try await receive(token(2), stored: nil).status == 503)

        #expect(await journal.taken.isEmpty)
        #expect(await journal.heard.isEmpty)
    }

    @Test("a heartbeat is no event: it tells what is missing, and up to when all is known")
    func heartbeat() async throws {
        #expect(try await receive(token(3, "heartbeat"), stored: 1...3).status == 202)

        #expect(await journal.taken == [1, 2, 3])
        #expect(await journal.heard.last == Date(timeIntervalSince1970: 1_795_000_003))
    }

    @Test("a heartbeat without a number is refused")
    func badHeartbeat() async throws {
        #expect(try await receive(token(-1, "heartbeat"), stored: 1...3).status == 400)
    }

    @Test("at a start it asks for all there is, page by page, and has heard when it asked")
    func catchUp() async throws {
        let began = Date()

        try await receiver(stored: 1...5).catchUp()
        try await receiver(stored: 1...5).catchUp()

        #expect(await journal.taken == [1, 2, 3, 4, 5])
        let heard = await journal.heard
        #expect(heard.count == 2 && heard.allSatisfy { $0 >= began })
    }

    @Test("where it cannot be asked, or says what cannot be verified, nothing was heard")
    func notHeard() async throws {
        for receiver in [try receiver(stored: nil), try receiver(stored: 1...2, forged: true)] {
            let refusal = await #expect(throws: OAuthError.self) { try await receiver.catchUp() }
            #expect(refusal?.status == 503 && refusal?.code == .temporarilyUnavailable)
        }
        #expect(await journal.taken.isEmpty)
        #expect(await journal.heard.isEmpty)
    }

    @Test("a federation that was put back to a backup is asked from the beginning")
    func restored() async throws {
        try await receiver(stored: 7...8).catchUp()
        try await receiver(stored: 1...2, latest: 2).catchUp()

        #expect(await journal.taken == [7, 8, 1, 2])
    }
}
