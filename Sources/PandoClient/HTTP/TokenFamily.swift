import Foundation

/// A token and those that come after it by refreshing, for any number of callers at once.
///
/// One refresh is under way at a time, and all callers get what it gave. An answer that was lost is asked for again
/// with the same refresh token: the server repeats it until ten seconds after it was sent, and for as long as none was.
/// What is new goes to `keep` before anybody gets it, so an app that is ended then has it on disk.
public actor TokenFamily {
    /// How its access token is shown.
    public enum Presentation: Sendable {
        /// RFC 9449.
        case dpop
        /// The JWT made for one request, in the name of this holder.
        case selfMade(holder: String)
    }

    /// Seconds before its end at which a token is refreshed.
    static let early: TimeInterval = 30
    static let pauses: [Duration] = [.milliseconds(200), .milliseconds(400), .milliseconds(800), .milliseconds(1_600)]

    public nonisolated let endpoint: String
    public nonisolated let holder: KeyHolder
    private let presentation: Presentation
    private let clientID: String?
    private let keep: @Sendable (Tokens) async throws -> Void
    private var tokens: Tokens
    private var refreshing: Task<Tokens, any Error>?

    /// `endpoint` is the token endpoint that gave `tokens`; `clientID` is whose they are, as it knows them.
    public init(
        _ tokens: Tokens, endpoint: String, holder: KeyHolder, clientID: String?, presentation: Presentation = .dpop,
        keep: @escaping @Sendable (Tokens) async throws -> Void = { _ in }
    ) {
        (self.tokens, self.endpoint, self.holder, self.clientID) = (tokens, endpoint, holder, clientID)
        (self.presentation, self.keep) = (presentation, keep)
    }

    /// As they are, however old.
    public var current: Tokens { tokens }

    /// Refreshed where they end within half a minute.
    public func fresh() async throws -> Tokens {
        guard tokens.refreshToken != nil, tokens.expires <= holder.now().addingTimeInterval(TokenFamily.early) else {
            return tokens
        }
        return try await refresh(after: tokens)
    }

    /// Those behind `old`: another caller may have refreshed them already.
    /// - Throws: `OAuthError` with `invalid_grant` where the family has ended: log in again.
    public func refresh(after old: Tokens) async throws -> Tokens {
        guard tokens == old else { return tokens }
        if let refreshing { return try await refreshing.value }
        // A task of its own: it belongs to all who wait, and an answer must not be lost with the first of them.
        let task = Task { try await self.rotate() }
        refreshing = task
        return try await task.value
    }

    private func rotate() async throws -> Tokens {
        defer { refreshing = nil }
        guard let refreshToken = tokens.refreshToken else { throw OAuthError(400, .invalidGrant, "no refresh token") }
        var form = [("grant_type", "refresh_token"), ("refresh_token", refreshToken)]
        if let clientID { form.append(("client_id", clientID)) }
        let request = Transport.Request.form(endpoint, form), isBound = tokens.isBound
        let response = try await repeated {
            isBound ? try await self.holder.send(request) : try await self.holder.transport.send(request)
        }
        let new = try Tokens(response, now: holder.now())
        tokens = new
        try await keep(new)
        return new
    }

    /// Until somebody answers with other than 5xx; five times at most. Each attempt has a proof of its own.
    private func repeated(_ attempt: () async throws -> Transport.Response) async throws -> Transport.Response {
        for pause in TokenFamily.pauses {
            if let response = try? await attempt(), response.status < 500 { return response }
            try await Task.sleep(for: pause)
        }
        return try await attempt()
    }

    /// With the access token and its proof. Where it is dead, once more with the next one.
    public func send(_ request: Transport.Request) async throws -> Transport.Response {
        let shown = try await fresh()
        let response = try await send(request, showing: shown)
        guard response.status == 401, OAuthError(response).code == .invalidToken, shown.refreshToken != nil else {
            return response
        }
        return try await send(request, showing: try await refresh(after: shown))
    }

    private func send(_ request: Transport.Request, showing tokens: Tokens) async throws -> Transport.Response {
        guard tokens.isBound else {
            var bearer = request
            bearer.headers.append(("Authorization", "Bearer \(tokens.accessToken)"))
            return try await holder.transport.send(bearer)
        }
        switch presentation {
        case .dpop: return try await holder.send(request, showing: tokens.accessToken)
        case .selfMade(let name): return try await holder.send(request, madeFor: tokens.accessToken, of: name)
        }
    }

    /// Ends it and all that hangs below (RFC 7009).
    public func revoke(at revocationEndpoint: String) async throws {
        let shown = try await fresh()
        let response = try await send(.form(revocationEndpoint, [("token", shown.accessToken)]), showing: shown)
        guard response.isGood else { throw OAuthError(response) }
    }
}
