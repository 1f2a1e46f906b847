import Base
import Database
import HTTP
import HTTPTypes
import Hummingbird
import OAuth
import Registration
import Vocabulary

/// Sockets that are opened with an app token for `com.liquidauth.signaling` in place of a cookie: shown by the
/// `Authorization` header of the handshake, or, where a browser lets nobody write that, by the CONNECT.
///
///     io(HOST, {auth: {access_token, token_type: "DPoP", dpop: PROOF}})
///
/// A proof is made as for the handshake: `GET` of `HOST/socket.io/`.
extension LiquidRequestContext {
    /// Whoever does needs no cookie.
    func showsToken(_ request: Request) -> Bool { request.headers[.authorization] != nil }

    /// `nil` where the handshake shows no token.
    func tokenSession(_ request: Request, _ context: RoutedContext) async throws -> SignallingSession? {
        guard let shown = token(request, context) else { return nil }
        return try await session(shown, page: page(request), device: request.headers[.userAgent])
    }

    private func token(_ request: Request, _ context: RoutedContext) -> PresentedRequest? {
        let shown = request.presented(root, context)
        guard let scheme = shown.credentials?.scheme, ["dpop", "bearer"].contains(scheme) else { return nil }
        return shown
    }

    /// STUN and TURN for who shows such a token; `nil` where none is shown.
    func iceServers(_ request: Request, _ context: RoutedContext) async throws -> Response? {
        guard admits(request), let shown = token(request, context) else { return nil }
        let response: Response
        do {
            let servers = try await liquid.iceServers(
                try await holder(shown), device: request.headers[.userAgent], address: shown.origin)
            response = Answer.json(servers)
        } catch let refusal as LiquidRefusal {
            ErrorRendering.log(status: refusal.status, code: "liquid", cause: refusal.cause, context)
            response = LiquidRequestContext.refusal(refusal)
        } catch let refusal as OAuthError where refusal.status < 500 {
            ErrorRendering.log(refusal, context)
            response = Answer.error(refusal)
        } catch {
            response = LiquidRequestContext.envelope(error, context)
        }
        return withPolicy(response, for: request, cookie: nil)
    }

    /// For the CONNECT of a socket that this request opens.
    func authentication(_ request: Request, _ context: RoutedContext) -> SocketAuthentication? {
        let handshake = request.presented(root, context), page = page(request), device = request.headers[.userAgent]
        return { members in
            do {
                if members["pairingId"] != nil {
                    return .admitted(
                        try await liquid.signallingSession(
                            PairingCredential(members), page: page, address: handshake.origin))
                }
                let shown = try SocketToken(members).request(as: handshake, url: root + SignallingRoutes.path)
                return .admitted(try await session(shown, page: page, device: device))
            } catch let refusal as LiquidRefusal {
                return .refused(code: refusal.pairingCode, message: refusal.description)
            } catch let refusal as OAuthError where refusal.status < 500 {
                return .refused(code: refusal.code.rawValue, message: refusal.description)
            } catch {
                return .away
            }
        }
    }

    private func session(
        _ shown: PresentedRequest, page: String?, device: String?
    ) async throws -> SignallingSession {
        try await liquid.signallingSession(
            try await holder(shown), page: page, device: device, address: shown.origin)
    }

    private func holder(_ shown: PresentedRequest) async throws -> AuthenticatedToken {
        guard let role = doors.role else { throw OAuthError(.invalidToken, "no token opens a socket here") }
        return try await role.require(scope: SignallingRoutes.scope, shown)
    }
}

/// What a CONNECT shows of a token.
struct SocketToken: Sendable {
    private let authorization: String
    private let proofs: [String]

    /// Throws `OAuthError`. `token_type` is `Bearer` where it is left out and no proof comes.
    init(_ members: JSONObject) throws {
        guard let token = members["access_token"]?.string, !token.isEmpty, token.utf8.count <= 8_192,
            token.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw OAuthError(.invalidToken, "access_token must be a token") }
        var proof: String?
        switch members["dpop"] {
        case nil, .some(.null): proof = nil
        case .some(.string(let text)): proof = text
        default: throw OAuthError(.invalidProof, "dpop must be a proof", status: 401)
        }
        let type: String
        switch members["token_type"] {
        case nil, .some(.null): type = proof == nil ? "bearer" : "dpop"
        case .some(.string(let text)): type = text.lowercased()
        default: throw OAuthError(.invalidToken, "token_type must be Bearer or DPoP")
        }
        guard ["bearer", "dpop"].contains(type) else {
            throw OAuthError(.invalidToken, "token_type must be Bearer or DPoP")
        }
        (authorization, proofs) = ("\(type) \(token)", proof.map { [$0] } ?? [])
    }

    func request(as handshake: PresentedRequest, url: String) -> PresentedRequest {
        PresentedRequest(
            method: "GET", url: url, authorization: authorization, proofs: proofs, origin: handshake.origin,
            certificate: handshake.certificate)
    }
}
