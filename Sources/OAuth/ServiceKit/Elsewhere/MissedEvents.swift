import Base
import Database
import Foundation
import Keys

extension EventReceiver {
    /// All that the issuer has told meanwhile takes effect (docs/events.md, "What was missed"). Throws
    /// `IssuerConnection.Unanswered` where it does not answer; what was read until then stands.
    public func catchUp() async throws {
        guard let issuer = elsewhere?.issuer else { return }
        while try await takeNext(from: issuer).hasMore {}
    }

    /// False where the issuer does not give it now, or knows of no such number. Who has all is not made to ask: a
    /// heartbeat that comes is heard also where the way back is cut.
    func catchUp(to last: Int, from issuer: IssuerConnection) async throws -> Bool {
        let position = try await store.database.atomically { try await received.position(in: $0) }
        guard position < last else { return true }
        do {
            while true {
                let (position, hasMore) = try await takeNext(from: issuer)
                if position >= last { return true }
                if !hasMore { return false }
            }
        } catch is IssuerConnection.Unanswered {
            return false
        }
    }

    /// Takes one page behind what was taken; how far that is now, and whether there is more.
    private func takeNext(from issuer: IssuerConnection) async throws -> (position: Int, hasMore: Bool) {
        let position = try await store.database.atomically { try await received.position(in: $0) }
        // By this clock, which freshness is reckoned by: as of then there is nothing newer than what comes.
        let asked = clock.now(), page = try await issuer.events(after: position)
        let events = try await told(page)
        // A lower one is an issuer's that was put back to an older backup: its numbers say nothing then.
        guard page.latest >= position else { return (position, false) }
        let last = page.hasMore ? events.last?.seq ?? position : page.latest
        // More of which nothing comes would be asked for without end.
        guard last > position || !page.hasMore else { return (position, false) }
        return try await store.database.atomically { transaction in
            let now = try await received.position(in: transaction)
            // Of two who read the same page one comes second: numbers tell what it has had already.
            for event in events where event.seq > now {
                // One that makes no sense would be refused where it was pushed, and given up by the issuer.
                do {
                    try await apply(event.name, event.body, jti: event.jti, isOld: false, in: transaction)
                } catch is Refused {}
            }
            try await received.advance(to: last, asOf: page.hasMore ? nil : asked, in: transaction)
            return (max(now, last), page.hasMore)
        }
    }

    private struct Told: Sendable {
        let seq: Int
        let name: String
        let body: JSONValue
        let jti: String
    }

    /// Verified, in the order of their numbers.
    private func told(_ page: StoredEventPage) async throws -> [Told] {
        var events: [Told] = []
        for token in page.tokens {
            let jwt: JWT
            do { jwt = try await verified(token) } catch let refusal as Refused {
                throw IssuerConnection.Unanswered(
                    description: "\(issuer) gives an event that is none: \(refusal.description)", isRefusal: false)
            }
            for (name, body) in jwt["events"]?.object ?? [:] {
                guard let seq = body["seq"]?.integer else { continue }
                events.append(Told(seq: seq, name: name, body: body, jti: jwt.string("jti") ?? ""))
            }
        }
        return events.sorted { $0.seq < $1.seq }
    }
}
