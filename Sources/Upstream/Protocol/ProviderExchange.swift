import Base
import Foundation
import HTTP
import Keys
import Vocabulary

/// What this server asks of a provider as its client: a pushed request, tokens for a code, `userinfo`.
struct ProviderExchange: Sendable {
    struct Tokens: Sendable {
        let idToken: String
        let accessToken: String?
    }

    let issuer: String
    let store: ProviderStore
    let keys: SigningKeys
    let clock: WallClock
    let randomness: Randomness
    let send: @Sendable (OutgoingHTTP.Request) async throws -> OutgoingHTTP.Answer

    /// RFC 9126, 2: the `request_uri`.
    func push(_ request: ProviderRequest, to endpoint: String) async throws -> String {
        let answer = try await post(request.parameters, to: endpoint, of: request.provider, request.metadata)
        guard answer.status == 201 || answer.status == 200 else {
            throw refusal(answer, "pushed request")
        }
        guard let uri = answer.json?["request_uri"]?.string, !uri.isEmpty, uri.utf8.count <= 2_048 else {
            throw UpstreamRefusal.invalid("pushed request without request_uri")
        }
        return uri
    }

    /// RFC 6749, 4.1.3.
    func tokens(
        for code: String, verifier: String, of provider: UpstreamProvider, _ metadata: ProviderMetadata
    ) async throws -> Tokens {
        let answer = try await post(
            [
                ("grant_type", "authorization_code"), ("code", code), ("code_verifier", verifier),
                ("redirect_uri", provider.redirectURI(issuer)),
            ], to: metadata.tokenEndpoint, of: provider, metadata)
        guard answer.status == 200 else { throw refusal(answer, "token endpoint") }
        guard let json = answer.json, json["token_type"]?.string?.lowercased() == "bearer" else {
            throw UpstreamRefusal.invalid("token_type")
        }
        guard let idToken = json["id_token"]?.string else { throw UpstreamRefusal.invalid("no id_token") }
        return Tokens(idToken: idToken, accessToken: json["access_token"]?.string)
    }

    /// OpenID Connect Core, 5.3, as plain JSON. `subject` is the ID token's: what is told of another is not about this
    /// person (5.3.2).
    func userInfo(_ token: String, at endpoint: String, subject: String) async throws -> JSONObject {
        let answer = try await ask(
            OutgoingHTTP.Request(
                method: "GET", url: endpoint,
                headers: [("Authorization", "Bearer \(token)"), ("Accept", "application/json")]), "userinfo")
        guard answer.status == 200 else { throw refusal(answer, "userinfo") }
        guard let claims = answer.json?.object, claims["sub"]?.string?.isSame(as: subject) == true else {
            throw UpstreamRefusal.invalid("userinfo is about somebody else")
        }
        return claims
    }

    private func post(
        _ pairs: [(String, String)], to endpoint: String, of provider: UpstreamProvider, _ metadata: ProviderMetadata
    ) async throws -> OutgoingHTTP.Answer {
        var form = pairs
        var headers = [
            (name: "Content-Type", value: "application/x-www-form-urlencoded"),
            (name: "Accept", value: "application/json"),
        ]
        switch provider.authMethod {
        case .basic:
            // RFC 6749, 2.3.1: encoded as in a form before they are joined.
            let pair = FormCodec.encode(provider.clientID) + ":" + FormCodec.encode(try secret(of: provider))
            headers.append((name: "Authorization", value: "Basic " + Data(pair.utf8).base64EncodedString()))
        case .post:
            form += [("client_secret", try secret(of: provider))]
        case .privateKeyJWT:
            form += [
                ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
                ("client_assertion", try await assertion(of: provider, metadata)),
            ]
        }
        if provider.authMethod != .basic, !form.contains(where: { $0.0 == "client_id" }) {
            form.append(("client_id", provider.clientID))
        }
        return try await ask(
            OutgoingHTTP.Request(
                method: "POST", url: endpoint, headers: headers, body: Array(FormCodec.write(form).utf8)),
            "token endpoint")
    }

    private func secret(of provider: UpstreamProvider) throws -> String {
        guard let secret = try store.secret(of: provider) else { throw UpstreamRefusal.invalid("no client secret") }
        return secret.expose { String(decoding: $0, as: UTF8.self) }
    }

    /// RFC 7523, 2.2, by a key that this server publishes; `aud` is the issuer (draft-ietf-oauth-rfc7523bis).
    private func assertion(of provider: UpstreamProvider, _ metadata: ProviderMetadata) async throws -> String {
        let now = clock.now()
        let claims: JSONObject = [
            "iss": .string(provider.clientID), "sub": .string(provider.clientID), "aud": .string(metadata.issuer),
            "jti": .string(randomness.identifier()), "iat": .integer(now.numericDate),
            "exp": .integer(now.addingTimeInterval(60).numericDate),
        ]
        return try await keys.sign(
            type: "JWT", claims: claims, algorithm: keys.idTokenAlgorithm(registered: Optional.none))
    }

    private func ask(_ request: OutgoingHTTP.Request, _ what: String) async throws -> OutgoingHTTP.Answer {
        do { return try await send(request) } catch { throw UpstreamRefusal.unreachable(what) }
    }

    /// A provider's own word for an error is a word, or it is not told to the log.
    private func refusal(_ answer: OutgoingHTTP.Answer, _ what: String) -> UpstreamRefusal {
        if answer.status >= 500 || answer.status == 429 { return .unreachable("\(what): status \(answer.status)") }
        return .invalid("\(what): status \(answer.status) \(UpstreamRefusal.word(answer.json?["error"]?.string))")
    }
}

extension UpstreamRefusal {
    /// RFC 6749, 5.2, has letters that no log minds; what else a stranger writes is left out.
    static func word(_ text: String?) -> String {
        guard let text, text.wholeMatch(of: #/[a-z_]{1,64}/#) != nil else { return "" }
        return text
    }
}
