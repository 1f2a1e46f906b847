import Base
import Database

/// What a token tells besides its columns: the column `detail` of `token` and `family`, member by member.
///
/// Here alone stand the names under which they are kept. What of it is told, and under which names, is for those who
/// write access tokens, introspection answers and assertions (`OAuth`).
public struct TokenClaims: Sendable, Equatable {
    /// `sub`, where it is a pseudonym; else the account or the client is told.
    public var subject: String?
    /// The resource or token endpoint that the token is for (RFC 8707); `nil` for who issued it.
    public var audience: String?
    /// The service to which the token says what it hangs from, by its pseudonyms: it checks tokens by itself.
    public var lineage: String?
    /// Seconds that tokens for this audience live at most, as was said when it was granted; kept so that refreshing
    /// reads no service.
    public var lifetime: Int?
    /// The app in whose name an instance acts: `azp` of assertions.
    public var app: String?
    /// The public key (JWK) whose thumbprint is `TokenBody.jkt`.
    public var key: JSONValue?
    /// Thumbprint of the client certificate that must be shown with it (RFC 8705, 3.1).
    public var certificate: String?
    public var login: LoginClaims
    /// What is released of the person to a service.
    public var released: JSONObject
    /// `sid` and `nonce` of the ID token that comes with it.
    public var session: String?
    public var nonce: String?
    /// Single claims that were asked for (OpenID Connect Core, 5.5), by name.
    public var idTokenNames: [String]
    public var userInfoNames: [String]
    /// Where there is a choice, all that tokens may be had for; this one is for `audience`. Empty where there is none.
    public var resources: [GrantedResource]
    /// Of a code alone; what is issued for it has none.
    public var code: CodeBinding?

    public init(
        subject: String? = nil, audience: String? = nil, lineage: String? = nil, lifetime: Int? = nil,
        app: String? = nil,
        key: JSONValue? = nil, certificate: String? = nil,
        login: LoginClaims = LoginClaims(), released: JSONObject = [:], session: String? = nil, nonce: String? = nil,
        idTokenNames: [String] = [], userInfoNames: [String] = [], resources: [GrantedResource] = [],
        code: CodeBinding? = nil
    ) {
        (self.subject, self.audience, self.app, self.key, self.certificate) = (subject, audience, app, key, certificate)
        (self.login, self.released, self.session, self.nonce) = (login, released, session, nonce)
        (self.lineage, self.lifetime) = (lineage, lifetime)
        (self.idTokenNames, self.userInfoNames, self.code) = (idTokenNames, userInfoNames, code)
        self.resources = resources
    }

    /// Reads what `json` writes; others' members are passed over. A member that is there and of another type is an
    /// error, since what binds a token must not be taken for absent.
    public init(_ detail: JSONObject) throws(DatabaseError) {
        self.init(
            subject: try TokenClaims.text("sub", detail), audience: try TokenClaims.text("aud", detail),
            lineage: try TokenClaims.text("lineage", detail), lifetime: detail["life"]?.integer,
            app: try TokenClaims.text("app", detail),
            key: detail["jwk"].flatMap { $0 == .null ? nil : $0 },
            certificate: try TokenClaims.text("x5t#S256", detail),
            login: LoginClaims(detail), released: detail["claims"]?.object ?? [:],
            session: try TokenClaims.text("sid", detail),
            nonce: try TokenClaims.text("nonce", detail), idTokenNames: detail["id_token_claims"]?.strings ?? [],
            userInfoNames: detail["userinfo_claims"]?.strings ?? [], resources: try GrantedResource.list(detail),
            code: try CodeBinding(detail)
        )
    }

    public var json: JSONObject {
        var detail = login.json
        detail["sub"] = subject.map(JSONValue.string)
        detail["aud"] = audience.map(JSONValue.string)
        detail["lineage"] = lineage.map(JSONValue.string)
        detail["life"] = lifetime.map(JSONValue.integer)
        detail["app"] = app.map(JSONValue.string)
        detail["jwk"] = key
        detail["x5t#S256"] = certificate.map(JSONValue.string)
        if !released.isEmpty { detail["claims"] = .object(released) }
        detail["sid"] = session.map(JSONValue.string)
        detail["nonce"] = nonce.map(JSONValue.string)
        if !idTokenNames.isEmpty { detail["id_token_claims"] = JSONValue(strings: idTokenNames) }
        if !userInfoNames.isEmpty { detail["userinfo_claims"] = JSONValue(strings: userInfoNames) }
        if !resources.isEmpty { detail["resources"] = .array(resources.map(\.json)) }
        code?.add(to: &detail)
        return detail
    }

    /// `nil` where it is absent or null.
    static func text(_ name: String, _ detail: JSONObject) throws(DatabaseError) -> String? {
        switch detail[name] {
        case nil, .null: return nil
        case .string(let text): return text
        default: throw .decoding(column: "detail", expected: "an object whose \(name) is text")
        }
    }
}

/// How well and when the person behind a token was authenticated (OpenID Connect Core, 2; RFC 9068, 2.2.1). Each may be
/// absent: of a token that no person stands behind all are.
public struct LoginClaims: Sendable, Equatable {
    /// `auth_time`: seconds since 1970.
    public let time: Int?
    /// `acr`.
    public let level: String?
    /// `amr`.
    public let methods: [String]?

    public init(time: Int? = nil, level: String? = nil, methods: [String]? = nil) {
        (self.time, self.level, self.methods) = (time, level, methods)
    }

    /// The members of a JWT or of `detail`.
    public init(_ claims: JSONObject) {
        self.init(time: claims["auth_time"]?.integer, level: claims["acr"]?.string, methods: claims["amr"]?.strings)
    }

    /// Under the names by which all that tells them does.
    public var json: JSONObject {
        var claims: JSONObject = [:]
        claims["auth_time"] = time.map(JSONValue.integer)
        claims["acr"] = level.map(JSONValue.string)
        claims["amr"] = methods.map { JSONValue(strings: $0) }
        return claims
    }
}

/// What redeeming an authorization code must show.
public struct CodeBinding: Sendable, Equatable {
    /// `code_challenge` (RFC 7636, 4.3).
    public let challenge: String?
    /// Where the code was sent; `nil` for an instance's, which was sent nowhere.
    public let redirectURI: String?
    /// Whether the authorization request named it: then the token request must, too (RFC 6749, 4.1.3).
    public let isRedirectNamed: Bool
    /// `dpop_jkt` (RFC 9449, 10).
    public let dpopKey: String?

    public init(challenge: String?, redirectURI: String? = nil, isRedirectNamed: Bool = false, dpopKey: String? = nil) {
        (self.challenge, self.redirectURI, self.isRedirectNamed, self.dpopKey) = (
            challenge, redirectURI, isRedirectNamed, dpopKey
        )
    }

    /// `nil` for what is no code's.
    init?(_ detail: JSONObject) throws(DatabaseError) {
        guard detail["code_challenge"] != nil || detail["redirect_uri"] != nil else { return nil }
        self.init(
            challenge: try TokenClaims.text("code_challenge", detail),
            redirectURI: try TokenClaims.text("redirect_uri", detail),
            isRedirectNamed: detail["redirect_named"] == true, dpopKey: try TokenClaims.text("dpop_jkt", detail)
        )
    }

    func add(to detail: inout JSONObject) {
        detail["code_challenge"] = challenge.map(JSONValue.string)
        detail["redirect_uri"] = redirectURI.map(JSONValue.string)
        if redirectURI != nil { detail["redirect_named"] = .bool(isRedirectNamed) }
        detail["dpop_jkt"] = dpopKey.map(JSONValue.string)
    }
}
