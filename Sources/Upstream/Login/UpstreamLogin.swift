import Accounts
import Base
import Foundation
import HTTP
import Keys
import OAuth
import Vocabulary

/// A login at a provider: sending somebody there, and what their coming back says.
struct UpstreamLogin: Sendable {
    /// What is kept of a login under way. No secret: those are made of the state (`LoginSecrets`).
    struct Beginning: Sendable {
        let provider: String
        /// Seconds.
        let maxAge: TimeInterval?

        init(provider: String, maxAge: TimeInterval?) { (self.provider, self.maxAge) = (provider, maxAge) }

        init?(_ attempt: LoginAttempt) {
            guard let json = try? JSONReader.read(Array(attempt.subject.utf8)), let provider = json["provider"]?.string
            else { return nil }
            self.init(provider: provider, maxAge: json["max_age"]?.integer.map(TimeInterval.init))
        }

        var subject: String {
            JSONValue.object([
                "provider": .string(provider), "max_age": maxAge.map { .integer(Int($0)) } ?? .null,
            ]).text
        }
    }

    let service: UpstreamService
    let web: WebSide

    /// Where to send the browser. `method` and `account` are those of the attempt.
    func begin(
        at provider: UpstreamProvider, _ method: String, account: UUID?, then: String, wishes: LoginWishes,
        loginHint: String?, _ browser: BrowserRequest
    ) async throws -> String {
        let metadata = try await service.discovery.metadata(of: provider.issuer)
        let beginning = Beginning(provider: provider.id, maxAge: wishes.demandedAge)
        let attempt = try await web.attempts.open(
            method, subject: beginning.subject, account: account, then: then, browser: browser.context.browser)
        let state = attempt.reference
        let request = ProviderRequest(
            provider: provider, metadata: metadata, state: state, nonce: service.secrets.nonce(state),
            challenge: service.secrets.challenge(state), redirectURI: provider.redirectURI(service.issuer),
            wishes: wishes, loginHint: loginHint, language: browser.language.rawValue)
        guard let endpoint = metadata.pushedRequestEndpoint else { return request.url(request.parameters) }
        let uri = try await service.exchange.push(request, to: endpoint)
        return request.url([("client_id", provider.clientID), ("request_uri", uri)])
    }

    /// Who came back to `provider`'s address. Throws `UpstreamRefusal`.
    func answer(
        _ attempt: LoginAttempt, at provider: UpstreamProvider, _ parameters: Vocabulary.OAuthParameters
    ) async throws -> UpstreamPerson {
        // An answer that comes to another provider's address was led here (RFC 9700, 4.4.2).
        guard let beginning = Beginning(attempt), beginning.provider == provider.id else {
            throw UpstreamRefusal.invalid("another provider's answer")
        }
        let metadata = try await service.discovery.metadata(of: provider.issuer)
        switch try parameters["iss"] {
        case nil: guard !metadata.namesItself else { throw UpstreamRefusal.invalid("no iss") }
        case let named?: guard named == metadata.issuer else { throw UpstreamRefusal.invalid("iss of the answer") }
        }
        if let error = try parameters["error"] {
            throw UpstreamRefusal.declined(UpstreamRefusal.word(error))
        }
        guard let code = try parameters["code"], (1...4_096).contains(code.utf8.count) else {
            throw UpstreamRefusal.invalid("no code")
        }
        let state = attempt.reference
        let tokens = try await service.exchange.tokens(
            for: code, verifier: service.secrets.verifier(state), of: provider, metadata)
        guard let jwt = try? JWT(tokens.idToken) else { throw UpstreamRefusal.invalid("ID token") }
        try await service.verify(jwt, of: metadata)
        let now = service.clock.now()
        try IDTokenCheck(
            issuer: metadata.issuer, clientID: provider.clientID, nonce: service.secrets.nonce(state),
            maxAge: beginning.maxAge, startedAt: attempt.startedAt, now: now
        ).check(jwt, accessToken: tokens.accessToken)
        return UpstreamPerson(
            jwt, try await more(jwt, tokens, provider, metadata), provider, startedAt: attempt.startedAt, now: now)
    }

    private func more(
        _ jwt: JWT, _ tokens: ProviderExchange.Tokens, _ provider: UpstreamProvider, _ metadata: ProviderMetadata
    ) async throws -> JSONObject {
        guard provider.asksUserInfo else { return [:] }
        guard let endpoint = metadata.userInfoEndpoint, let token = tokens.accessToken else {
            throw UpstreamRefusal.invalid("no userinfo")
        }
        return try await service.exchange.userInfo(token, at: endpoint, subject: jwt.string("sub") ?? "")
    }

    /// Makes the login: the account of `link` is who logged in. Gives the session's new cookie; `nil` where the attempt
    /// is over. Throws `BrowserLogin.Incomplete`.
    func complete(
        _ link: UpstreamLink, _ person: UpstreamPerson, at provider: UpstreamProvider, using attempt: LoginAttempt,
        _ browser: BrowserRequest
    ) async throws -> String? {
        try await web.login.complete(
            link.account, by: AuthenticationHistory.upstream, methods: person.methods, at: person.time,
            using: attempt, browser.context
        ) { transaction in
            // Who unlinks it, or removes the provider, waits for this login.
            guard let held = try await service.links.hold(link.subject, at: link.provider, in: transaction),
                held.account == link.account,
                // Who moves the account waits too.
                try await service.linking.isLinkable(link.account, provider, in: transaction)
            else { return false }
            try await service.linking.update(held, person.person(provider), in: transaction)
            return true
        } entered: { session, transaction in
            try await service.links.note(session, of: link, sid: person.sid, in: transaction)
        }
    }
}
