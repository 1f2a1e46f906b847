import Base
import Foundation
import HTTP
import HTTPTypes
import OAuth
import TestSupport
import Vocabulary

/// Requests by somebody whom nobody knows, to any row of the route table: with all that a request of such a person can
/// bring, so that they come as far as they can.
struct StrangerRequests: Sendable {
    let server: TestServer
    /// A public client, with every flow.
    let client: String
    /// Of the browser's cookie, and attempts that this browser has begun, by the method.
    let browser = Base64URL.encode(Randomness.system.bytes(32))
    var attempts: [String: String] = [:]

    init(_ server: TestServer) async throws {
        self.server = server
        client = try await server.webApp(
            "Television", method: .none, grants: ["authorization_code", "refresh_token", GrantType.deviceCode.rawValue]
        ).id
        for method in ["tiqr", "approval", "wallet"] {
            let begun = try await server.get(
                "/login/\(method)?return_to=/account", headers: headers(from: "192.0.2.1", "text/plain"))
            attempts[method] = begun.place.split(separator: "attempt=").last.map { String($0.prefix(43)) }
        }
    }

    /// What has a body comes from the one browser; what has none from a new one each time, of which nobody knows what
    /// it began before.
    private func headers(from address: String, _ type: String? = nil) -> HTTPFields {
        var headers: HTTPFields = [.accept: "text/html,application/json", .origin: ServerParts.root]
        if type != nil { headers[.cookie] = "pando_browser=\(browser)" }
        headers[HTTPField.Name("X-Forwarded-For") ?? .server] = address
        headers[.contentType] = type
        return headers
    }

    /// Sends one. Odd ones are JSON where there is a body, the others forms.
    func send(_ endpoint: Endpoint, number: Int, from address: String) async throws -> Reply {
        let path = endpoint.path.replacing("**", with: "x").replacing(#/\{[^}]*\}/#, with: "x"),
            pairs = parameters(endpoint.path, number)
        guard endpoint.method == .post || endpoint.method == .put || endpoint.method == .patch else {
            return try await server.send(
                endpoint.method, path + "?" + FormCodec.write(pairs), headers: headers(from: address))
        }
        guard number.isMultiple(of: 2) else {
            var members: JSONObject = ["extensions": ["liquid": true]]
            for (name, value) in pairs { members[name] = .string(value) }
            return try await server.send(
                endpoint.method, path, headers: headers(from: address, "application/json"),
                body: JSONValue.object(members).bytes)
        }
        return try await server.send(
            endpoint.method, path, headers: headers(from: address, "application/x-www-form-urlencoded"),
            body: Array(FormCodec.write(pairs).utf8))
    }

    private func parameters(_ path: String, _ number: Int) -> [(String, String)] {
        var pairs = [
            ("response_type", "code"), ("client_id", client), ("redirect_uri", Browser.callback), ("scope", "openid"),
            ("state", "s"), ("nonce", "n-\(number)"),
            ("code_challenge", Phone.challenge), ("code_challenge_method", "S256"), ("return_to", "/account"),
            ("username", "nobody-\(number)"),
            ("password", "not a password of anybody"), ("token", "x"), ("jti", "x"), ("user_code", "BCDF-GHJK"),
            ("decision", "allow"),
        ]
        let method = attempts.keys.first {
            path.hasPrefix("/login/\($0)/") && (path.hasSuffix("/again") || path.hasSuffix("/otp"))
        }
        let attempt = method.flatMap { attempts[$0] } ?? ""
        if method != nil { pairs += [("attempt", attempt), ("otp", "000000"), ("identity", "nobody")] }
        pairs.append(
            (
                "form_token",
                context.formToken(
                    method.map { "\(StrangerRequests.purposes[$0] ?? $0) \(attempt)" } ?? "login /account")
            ))
        return pairs
    }

    /// What forms are for, where that is not called as their path.
    private static let purposes = ["approval": "operations", "wallet": "wallet-code"]

    private var context: BrowserSessionContext {
        BrowserSessionContext(browser: browser, session: nil, device: nil, origin: nil)
    }
}
