import Base
import Crypto
import Foundation
import HTTPTypes
import Liquid

/// A wallet as its SDK acts over HTTP (protocols/liquid.md, 1.6 and 2): an account, a passkey and a cookie.
public struct WalletDevice: Sendable {
    public var passkey = PasskeyDevice()
    /// What `connect.sid` was set to last.
    public var cookie: String?
    /// The page, for one that is in a browser.
    public var origin: String?
    private let account = Curve25519.Signing.PrivateKey()

    public init() {}

    public var address: String { AlgorandAddress.text(of: Array(account.publicKey.rawRepresentation)) }

    /// Keeps the cookie as a jar would.
    public mutating func send(
        _ method: HTTPRequest.Method, _ path: String, _ json: JSONValue? = Optional.none, in server: TestServer
    ) async throws -> Reply {
        var headers: HTTPFields = [.userAgent: "wallet/1.0", .contentType: "application/json"]
        if let cookie { headers[.cookie] = "connect.sid=\(cookie)" }
        headers[.origin] = origin
        let reply = try await server.send(method, path, headers: headers, body: json?.bytes)
        if let line = reply.headers[.setCookie] {
            cookie = line.split(separator: ";").first?.split(separator: "=", maxSplits: 1).last.map(String.init)
        }
        return reply
    }

    /// `clientExtensionResults.liquid` for a challenge.
    public func signed(_ options: JSONValue, requestID: JSONValue? = Optional.none) throws -> JSONValue {
        let challenge = Base64URL.decode(options["challenge"]?.string ?? "") ?? []
        let signature = Array(try account.signature(for: Data(challenge)))
        var members: JSONObject = [
            "type": "algorand", "address": .string(address), "signature": .string(Base64URL.encode(signature)),
        ]
        members["requestId"] = requestID
        return .object(members)
    }

    private func with(_ liquid: JSONValue?, _ response: JSONValue) -> JSONValue {
        guard var members = response.object, let liquid else { return response }
        members["clientExtensionResults"] = ["liquid": liquid]
        return .object(members)
    }

    /// Both calls of the attestation.
    public mutating func register(in server: TestServer, requestID: JSONValue? = Optional.none) async throws -> Reply {
        let options = try await send(
            .post, "/attestation/request", ["username": .string(address), "extensions": ["liquid": true]], in: server)
        guard options.status == 201 else { return options }
        let liquid = try signed(options.json, requestID: requestID)
        return try await send(.post, "/attestation/response", with(liquid, passkey.create(options.json)), in: server)
    }

    /// Both calls of the assertion, the first without a body, as the SDK for browsers does it.
    public mutating func logIn(in server: TestServer, requestID: JSONValue? = Optional.none) async throws -> Reply {
        let options = try await send(.post, "/assertion/request/\(passkey.name)", in: server)
        guard options.status == 201 else { return options }
        let liquid: JSONValue? = requestID.map { ["requestId": $0] }
        return try await send(
            .post, "/assertion/response", with(liquid, try passkey.get(options.json, withHandle: false)), in: server)
    }
}
