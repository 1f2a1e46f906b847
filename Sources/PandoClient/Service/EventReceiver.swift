import Foundation

/// Takes events by push (RFC 8935). They come in order, one at a time, at least once. With `CatchUp`, what is missing
/// is fetched before what comes after it is taken.
public struct EventReceiver: Sendable {
    /// What a service does with an event.
    public struct Journal: Sendable {
        let isTaken: @Sendable (_ id: String) async throws -> Bool
        let isRevoked: @Sendable (_ signer: String) async throws -> Bool
        let take: @Sendable (SecurityEventToken) async throws -> Void

        /// `isTaken`: whether a token of this `jti` was taken before; it is acknowledged and passed over. `isRevoked`:
        /// whether `signer:KID` has ended: a key set that was read earlier may still hold a stolen key. `take` writes
        /// effect and `jti` in one transaction, and returns once they are durable: then the sender forgets.
        public init(
            isTaken: @escaping @Sendable (_ id: String) async throws -> Bool,
            isRevoked: @escaping @Sendable (_ signer: String) async throws -> Bool,
            take: @escaping @Sendable (SecurityEventToken) async throws -> Void
        ) {
            (self.isTaken, self.isRevoked, self.take) = (isTaken, isRevoked, take)
        }
    }

    private let reader: SecurityEventReader
    private let journal: Journal
    private let catchUp: CatchUp?

    /// `base` is the service's base URL, for which events are.
    public init(
        issuer: String, base: String, keys: KeySource, journal: Journal, catchUp: CatchUp? = nil,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        reader = SecurityEventReader(signed: SignedJWT(issuer: issuer, keys: keys, now: now), base: base)
        (self.journal, self.catchUp) = (journal, catchUp)
    }

    /// What to answer (RFC 8935, 2.2 and 2.3): 202, or an error; 503 where events before it cannot be fetched now, so
    /// that it is sent again. Throws what `journal` throws; answer that with 503, too.
    public func receive(_ body: [UInt8]) async throws -> Transport.Response {
        do {
            try await take(try await verified(String(decoding: body, as: UTF8.self)))
        } catch let refused as EventRefused {
            let json: JSON = ["err": .string(refused.code), "description": .string(refused.description)]
            let type: Transport.Header = ("Content-Type", "application/json")
            return Transport.Response(status: 400, headers: [type], body: try json.bytes())
        } catch let away as OAuthError {
            return away.response
        }
        return Transport.Response(status: 202)
    }

    /// Takes all that the federation has told so far: at a start, and when nothing was heard for long. Does nothing
    /// without `CatchUp`.
    /// - Throws: `OAuthError` `temporarily_unavailable` where it cannot be asked now, or says what cannot be verified;
    ///   what `journal` throws.
    public func catchUp() async throws {
        guard let catchUp else { return }
        let asked = reader.signed.now()
        var position = try await catchUp.position(), isMore = true
        while isMore {
            let page = try await catchUp.missed.page(after: position)
            // The federation was put back to a backup: from the beginning.
            if let latest = page.latest, latest < position {
                position = 0
                continue
            }
            var tokens: [SecurityEventToken] = []
            for text in page.texts {
                do { tokens.append(try await verified(text)) } catch let refused as EventRefused {
                    // What it would have ended is not known.
                    throw OAuthError(503, .temporarilyUnavailable, refused.description, retryAfter: 2)
                }
            }
            tokens.sort { ($0.sequence ?? 0) < ($1.sequence ?? 0) }
            for token in tokens where try await !journal.isTaken(token.id) { try await journal.take(token) }
            guard page.isMore, let reached = tokens.last?.sequence, reached > position else { break }
            (position, isMore) = (reached, page.isMore)
        }
        try await catchUp.heard(asked)
    }

    private func take(_ token: SecurityEventToken) async throws {
        if let latest = token.latest {
            // A heartbeat is no event: there is nothing to be taken of it.
            try await fetch(through: latest)
        } else {
            if let sequence = token.sequence { try await fetch(through: sequence - 1) }
            if try await !journal.isTaken(token.id) { try await journal.take(token) }
        }
        if let catchUp, let issuedAt = token.issuedAt { try await catchUp.heard(min(issuedAt, reader.signed.now())) }
    }

    private func fetch(through last: Int) async throws {
        guard let catchUp else { return }
        var position = try await catchUp.position(), isMore = true
        while isMore, position < last {
            let page = try await catchUp.missed.page(after: position)
            var tokens: [SecurityEventToken] = []
            for text in page.texts {
                // One that makes no sense would be refused if it was pushed, too.
                do { tokens.append(try await verified(text)) } catch is EventRefused {}
            }
            tokens.sort { ($0.sequence ?? 0) < ($1.sequence ?? 0) }
            for token in tokens where (token.sequence ?? .max) <= last {
                if try await !journal.isTaken(token.id) { try await journal.take(token) }
            }
            guard let reached = tokens.last?.sequence, reached > position else { return }
            (position, isMore) = (reached, page.isMore)
        }
    }

    private func verified(_ body: String) async throws -> SecurityEventToken {
        let token = try await reader.read(body)
        guard try await !journal.isRevoked(token.signer) else {
            throw EventRefused(code: "invalid_key", description: "the signature is by a revoked key")
        }
        return token
    }
}
