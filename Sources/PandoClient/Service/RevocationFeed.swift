import Foundation
import Synchronization

/// What has ended, told by the issuer and kept in memory: a service that follows it checks tokens without asking
/// (docs/local-checks.md). It reads `GET ISS/events`, where the issuer keeps what it has told, and waits there for
/// more.
///
/// One a process. What it knows is as old as the last answer; `LocalTokenVerifier` refuses when that is too old.
public final class RevocationFeed: Sendable {
    /// How the service authenticates: headers of a request, e.g. `Authorization: Basic …` of its client.
    public typealias Credentials = @Sendable () async throws -> [Transport.Header]

    private struct State {
        var nodes: RevokedNodes
        /// The number of the last event that was taken.
        var latest = 0
        /// How often the issuer's numbers began anew: what was asked for before is of no use then.
        var beginnings = 0
        /// Events that are asked for at a time: fewer after a failure, since an answer may be too long to be taken.
        var limit = RevocationFeed.most
        /// Since when all that the issuer had told is known: when the request was sent that was answered last.
        var heard: Date?
        var swept: Date

        mutating func beginAnew() {
            nodes.renumber()
            (latest, heard, beginnings) = (0, nil, beginnings + 1)
        }
    }

    /// Whether a token may be taken.
    public enum Standing: Sendable, Equatable { case live, revoked, unknown }

    private static let most = 1_000
    /// Seconds for which the issuer is asked to hold an answer: well below what transports wait for one.
    private static let longestWait: TimeInterval = 10
    /// Seconds between two questions that are answered at once with nothing, as where others of this service wait.
    private static let unheld: TimeInterval = 1
    /// Seconds between two attempts, at most.
    private static let longestPause: TimeInterval = 5

    private let issuer: String
    private let transport: Transport
    private let events: SecurityEventReader
    private let credentials: Credentials
    private let silence: TimeInterval
    private let keep: TimeInterval
    private let now: @Sendable () -> Date
    private let state: Mutex<State>

    /// - Parameters:
    ///   - base: the service's base URL, for which events are.
    ///   - silence: seconds without an answer after which nothing is taken; 15 at least.
    ///   - tokenLife: the longest life in seconds of tokens that are taken: what ended longer ago is forgotten.
    public init(
        issuer: String, base: String, keys: KeySource, transport: Transport, credentials: @escaping Credentials,
        silence: TimeInterval = 30, tokenLife: TimeInterval = 3_600, now: @escaping @Sendable () -> Date = { Date() }
    ) {
        (self.issuer, self.transport, self.credentials, self.now) = (issuer, transport, credentials, now)
        (self.silence, keep) = (max(15, silence), tokenLife + 2 * JWT.skew)
        events = SecurityEventReader(signed: SignedJWT(issuer: issuer, keys: keys, now: now), base: base)
        state = Mutex(State(nodes: RevokedNodes(keep: keep), swept: now()))
    }

    /// Follows the issuer until the task is cancelled. What goes wrong is told to `trouble` and tried again.
    public func run(trouble: @Sendable (any Error) -> Void = { _ in }) async {
        let held = min(silence / 3, RevocationFeed.longestWait)
        var pause: Duration = .milliseconds(250)
        while !Task.isCancelled {
            let before = state.withLock { (latest: $0.latest, isHeard: $0.heard != nil) }
            let began = ContinuousClock.now
            do {
                let isMore = try await read(wait: before.isHeard ? held : 0)
                pause = .milliseconds(250)
                let isNothingNew = before.isHeard && !isMore && state.withLock { $0.latest } == before.latest
                if isNothingNew, ContinuousClock.now - began < .seconds(RevocationFeed.unheld) {
                    try? await Task.sleep(for: .seconds(RevocationFeed.unheld))
                }
            } catch {
                guard !Task.isCancelled else { return }
                trouble(error)
                try? await Task.sleep(for: pause)
                pause = min(pause * 2, .seconds(RevocationFeed.longestPause))
            }
        }
    }

    /// One request: takes what is new, at most a page. `wait`: seconds for which the issuer may wait for something new.
    ///
    /// Where the issuer's numbers begin anew, what has ended is kept, nothing is taken until all was read again, and
    /// that is thrown.
    /// - Throws: `OAuthError` that the issuer answered, `UnexpectedAnswer`, what the transport throws.
    /// - Returns: whether there is more.
    @discardableResult
    public func read(wait: TimeInterval = 0) async throws -> Bool {
        let asked = now(), place = state.withLock { ($0.latest, $0.beginnings, $0.limit) }
        let (after, beginnings, limit) = place
        var request = Transport.Request.get(url(after: after, limit: limit, at: asked))
        request.headers = try await credentials()
        if wait >= 1 { request.headers.append(("Prefer", "wait=\(Int(wait))")) }
        let answer: JSON
        do { answer = try await transport.send(request).json() } catch {
            state.withLock { $0.limit = max(1, limit / 4) }
            throw error
        }
        guard let sets = answer["sets"]?.object, let more = answer["moreAvailable"]?.bool,
            let told = answer["latest"]?.integer
        else { throw UnexpectedAnswer(description: "the answer has no sets, moreAvailable or latest") }
        let read = try await tokens(sets), answered = now()
        try state.withLock { state in
            guard state.beginnings == beginnings else { return }
            state.limit = min(RevocationFeed.most, limit * 2)
            guard told >= after else {
                // An older backup of the issuer: what it tells is no continuation.
                state.beginAnew()
                throw UnexpectedAnswer(description: "the issuer's events begin anew, and are read again")
            }
            // Two that ask at once read the same; what was taken already changes nothing.
            for (number, token) in read where number > state.latest {
                let at = (token.issuedAt ?? asked).timeIntervalSince1970
                for event in token.events { state.nodes.take(event, number: number, at: at) }
                state.latest = number
            }
            guard !more else { return }
            state.latest = max(told, state.latest)
            // One that lies in the future was written before the clock was set back.
            state.heard = state.heard.map { $0 > answered ? asked : max(asked, $0) } ?? asked
            if abs(asked.timeIntervalSince(state.swept)) > 60 {
                state.nodes.forget(at: asked.timeIntervalSince1970)
                state.swept = asked
            }
        }
        return more
    }

    /// By their numbers. One that is wrong spoils the answer: what it would have ended is not known.
    private func tokens(_ sets: [String: JSON]) async throws -> [(number: Int, token: SecurityEventToken)] {
        var read: [(number: Int, token: SecurityEventToken)] = []
        for set in sets.values {
            guard let text = set.string else { throw UnexpectedAnswer(description: "an event is no string") }
            do {
                let token = try await events.read(text)
                if state.withLock({ $0.nodes.isRevoked([token.signer]) }) {
                    throw EventRefused(code: "invalid_key", description: "the signature is by a revoked key")
                }
                guard let number = token.sequence else {
                    throw EventRefused(code: "invalid_request", description: "it has no seq")
                }
                read.append((number, token))
            } catch let refused as EventRefused {
                throw UnexpectedAnswer(description: "an event was refused: \(refused.description)")
            }
        }
        return read.sorted { $0.number < $1.number }
    }

    /// The first question leaves out what no living token can hang from.
    private func url(after latest: Int, limit: Int, at now: Date) -> String {
        let url = "\(issuer)/events?after=\(latest)&limit=\(limit)"
        return latest > 0 ? url : url + "&since=\(Int(max(0, now.timeIntervalSince1970 - keep)))"
    }

    /// Where a token with these ancestors stands; `unknown` when the issuer has been silent for too long.
    public func standing(of lineage: [String]) -> Standing {
        let now = now()
        return state.withLock { state in
            if state.nodes.isRevoked(lineage) { return .revoked }
            // A clock that was set back says nothing on how long ago that was.
            guard let heard = state.heard, (-1...silence).contains(now.timeIntervalSince(heard)) else {
                return .unknown
            }
            return .live
        }
    }

    /// Nodes that have ended and are remembered, for metrics.
    public var count: Int { state.withLock { $0.nodes.count } }

    /// Seconds since all that the issuer had told was known; `nil` before the first answer.
    public var age: TimeInterval? {
        let heard = state.withLock { $0.heard }
        return heard.map { now().timeIntervalSince($0) }
    }

    var longestLife: TimeInterval { keep - 2 * JWT.skew }

    var time: Date { now() }
}
