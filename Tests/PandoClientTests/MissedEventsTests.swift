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

    /// `stored` are the numbers that the federation still has; `nil`: it does not answer.
    private func receive(_ text: String, stored: ClosedRange<Int>?) async throws -> Transport.Response {
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
            let json: JSON = ["sets": .object(sets), "moreAvailable": .bool(isMore)]
            return Transport.Response(status: 200, body: try json.bytes())
        }
        let receiver = EventReceiver(
            issuer: Self.issuer, base: Self.base, keys: .fixed([signer.verificationKey]),
            journal: .init(
                isTaken: { await journal.isTaken($0) }, isRevoked: { _ in false },
                take: { await journal.take($0) }),
            catchUp: CatchUp(
                missed: .basic(issuer: Self.issuer, clientID: "learn", secret: "s", transport: transport),
                position: { await journal.position }, heard: { await journal.hear($0) }))
        return try await receiver.receive(Array(text.utf8))
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
}
