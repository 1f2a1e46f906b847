import Base
import Foundation
import HTTPTypes
import Testing

/// A browser in a test: keeps cookies, follows redirects within the issuer, fills in forms.
public actor Browser {
    public static let callback = "https://rp.example.org/callback"

    public nonisolated let server: TestServer
    public private(set) var cookies: [String: String] = [:]
    /// Every answer, in order.
    public private(set) var pages: [Reply] = []

    public init(_ server: TestServer) { self.server = server }

    public func set(cookie name: String, to value: String?) { cookies[name] = value }

    /// Sends what a browser would, without following.
    public func open(
        _ method: HTTPRequest.Method = .get, _ path: String, form: [(String, String)]? = nil,
        headers extra: HTTPFields = [:]
    ) async throws -> Reply {
        var headers = extra
        if headers[.accept] == nil { headers[.accept] = "text/html,application/xhtml+xml" }
        if !cookies.isEmpty {
            headers[.cookie] = cookies.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(
                separator: "; ")
        }
        if method == .post {
            headers[.contentType] = "application/x-www-form-urlencoded"
            if headers[.origin] == nil { headers[.origin] = ServerParts.root }
        }
        let reply = try await server.send(
            method, path, headers: headers, body: form.map { Array(FormCodec.write($0).utf8) })
        for line in reply.headers[values: .setCookie] {
            let pair = line.split(separator: ";")[0].split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false
            ).map(String.init)
            cookies[pair[0]] = line.contains("Max-Age=0") ? nil : pair[1]
        }
        pages.append(reply)
        return reply
    }

    /// To the page at the end of redirects, or the address outside to which they lead.
    public func follow(_ first: Reply) async throws -> Place {
        var reply = first
        for _ in 0..<12 {
            guard (300..<400).contains(reply.status), let location = reply[header: "Location"] else {
                return .page(reply)
            }
            guard location.hasPrefix(ServerParts.root + "/") else { return .outside(location) }
            reply = try await open(.get, String(location.dropFirst(ServerParts.root.count)))
        }
        throw Lost()
    }

    public enum Place: Sendable {
        case page(Reply)
        case outside(String)

        public var page: Reply? { if case .page(let reply) = self { reply } else { nil } }
        /// Parameters of the address outside.
        public var answer: [String: String] {
            guard case .outside(let url) = self, let query = url.split(separator: "?", maxSplits: 1).dropFirst().first
            else { return [:] }
            return (try? FormCodec.read(query.utf8)) ?? [:]
        }
    }
    public struct Lost: Error {}

    /// The first form of a page, or the first that posts to `action`: where it posts and its fields.
    public nonisolated static func form(
        _ reply: Reply, action: String? = nil
    ) -> (action: String, fields: [(String, String)]) {
        let forms = reply.body.matches(of: #/<form[^>]*action="([^"]*)"[^>]*>(.*?)<\/form>/#.dotMatchesNewlines())
        // The last of each page chooses its language. A passkey's is filled in by a script, which is not here: it is
        // taken where there is no other.
        let ours = forms.filter { $0.1 != "/language" && (action == nil || unescaped(String($0.1)) == action) }
        let form = ours.first { $0.1 != "/login/passkey" } ?? ours.first
        let inside = form.map { String($0.2) } ?? ""
        let fields = inside.matches(of: #/<input[^>]*>/#).compactMap { match -> (String, String)? in
            let tag = String(match.0)
            guard let name = tag.firstMatch(of: #/name="([^"]*)"/#)?.1 else { return nil }
            return (String(name), unescaped(String(tag.firstMatch(of: #/ value="([^"]*)"/#)?.1 ?? "")))
        }
        return (unescaped(form.map { String($0.1) } ?? ""), fields)
    }

    private nonisolated static func unescaped(_ text: String) -> String {
        [("&quot;", "\""), ("&#39;", "'"), ("&lt;", "<"), ("&gt;", ">"), ("&#x2F;", "/"), ("&amp;", "&")].reduce(text) {
            $0.replacing($1.0, with: $1.1)
        }
    }

    /// The form of a page, with some fields changed, sent.
    public func submit(
        _ page: Reply, _ changes: [String: String] = [:], headers: HTTPFields = [:]
    ) async throws -> Reply {
        let (action, fields) = Browser.form(page)
        let kept = fields.filter { changes[$0.0] == nil }
        return try await open(.post, action, form: kept + changes.sorted { $0.key < $1.key }, headers: headers)
    }

    /// From an authorization request to the client: logs in where asked, agrees where asked.
    public func signIn(
        _ request: AuthorizationDraft, as user: String = "ada", password: String = Residents.password
    ) async throws -> Place {
        try await goOn(try await follow(try await open(.get, request.path)), as: user, password: password)
    }

    /// `stopsAt` is the action of a form to be left as it is.
    public func goOn(
        _ place: Place, as user: String = "ada", password: String = Residents.password, stopsAt: String? = nil
    ) async throws -> Place {
        var place = place
        for _ in 0..<6 {
            guard case .page(let page) = place, page.status == 200, Browser.form(page).action != stopsAt else {
                return place
            }
            let fields = Browser.form(page).fields.map(\.0)
            if fields.contains("password") {
                place = try await follow(
                    try await Patience.whileBusy { try await submit(page, ["username": user, "password": password]) })
            } else if Browser.form(page).action.hasSuffix("/consent") {
                place = try await follow(try await submit(page, ["decision": "allow"]))
            } else {
                return place
            }
        }
        return place
    }
}

/// An authorization request before it is sent, so that tests can spoil it.
public struct AuthorizationDraft: Sendable {
    public var parameters: [(String, String)]

    public init(
        _ client: String, redirectURI: String = Browser.callback, scope: String = "openid profile email",
        changes: KeyValuePairs<String, String?> = [:]
    ) {
        parameters = [
            ("response_type", "code"), ("client_id", client), ("redirect_uri", redirectURI), ("scope", scope),
            ("state", "s-1"), ("nonce", "n-1"),
            ("code_challenge", Phone.challenge), ("code_challenge_method", "S256"),
        ]
        for (name, value) in changes { set(name, value) }
    }

    /// `nil` takes a parameter out.
    public mutating func set(_ name: String, _ value: String?) {
        parameters.removeAll { $0.0 == name }
        if let value { parameters.append((name, value)) }
    }

    public var path: String { "/authorize?" + FormCodec.write(parameters) }
}

/// A web client of a test, made by the operator.
public struct WebApp: Sendable {
    public let server: TestServer
    public let id: String
    public let secret: String

    public var basic: HTTPFields { [.authorization: "Basic \(Data("\(id):\(secret)".utf8).base64EncodedString())"] }

    public init(server: TestServer, id: String, secret: String) {
        (self.server, self.id, self.secret) = (server, id, secret)
    }

    public func redeem(
        _ code: String?, verifier: String? = Phone.verifier, redirectURI: String? = Browser.callback,
        resource: String? = nil, headers: HTTPFields = [:]
    ) async throws -> Reply {
        var all = secret.isEmpty ? HTTPFields() : basic
        for field in headers { all[field.name] = field.value }
        return try await server.post(
            "/token",
            [
                "grant_type": "authorization_code", "code": code, "code_verifier": verifier,
                "redirect_uri": redirectURI,
                "client_id": secret.isEmpty ? id : nil, "resource": resource,
            ], headers: all)
    }

    public func refresh(
        _ token: String, scope: String? = nil, resource: String? = nil, headers: HTTPFields = [:]
    ) async throws -> Reply {
        var all = secret.isEmpty ? HTTPFields() : basic
        for field in headers { all[field.name] = field.value }
        return try await server.post(
            "/token",
            [
                "grant_type": "refresh_token", "refresh_token": token, "scope": scope, "resource": resource,
                "client_id": secret.isEmpty ? id : nil,
            ], headers: all)
    }

    /// The whole login: code, then tokens.
    public func logIn(
        _ browser: Browser, as user: String = "ada", scope: String = "openid profile email"
    ) async throws -> Reply {
        let place = try await browser.signIn(AuthorizationDraft(id, scope: scope), as: user)
        let code = try #require(place.answer["code"], "login: \(place)")
        let reply = try await redeem(code)
        try #require(reply.outcome == "200", "code: \(reply.body)")
        return reply
    }

    public func userInfo(_ token: String) async throws -> Reply {
        try await server.get("/userinfo", headers: [.authorization: "Bearer \(token)"])
    }
}

extension TestServer {
    /// The token of the first form of a page of this browser's person.
    public func formToken(_ browser: Browser, at path: String) async throws -> String {
        let page = try await browser.open(.get, path)
        return Browser.form(page).fields.first { $0.0 == "form_token" }?.1 ?? ""
    }
}
