import Base
import Database
import Foundation
import TokenTree

extension LiquidService {
    private struct Taken: Error {}

    /// POST /pairings/invitations. A page that names no id is given one.
    func invite(_ body: JSONValue?, by presented: PresentedSession, page: String?) async throws -> JSONValue {
        try parts.pace.challenge(for: presented, at: parts.clock.now())
        guard let request = RequestID(try LiquidService.requested(body)), let id = request.json.string else {
            throw LiquidRefusal.pairingMalformed
        }
        do {
            return try await parts.database.atomically { transaction in
                let made = try await parts.pairings.invite(
                    request, id: id, page: page, device: presented.device, origin: presented.origin, in: transaction)
                guard let made else { throw Taken() }
                return made
            }
        } catch is Taken {
            throw LiquidRefusal.pairingTaken
        }
    }

    private static func requested(_ body: JSONValue?) throws -> JSONValue {
        guard let body else { return .string(Randomness.system.uuid().uuidString.lowercased()) }
        guard let members = body.object else { throw LiquidRefusal.pairingMalformed }
        guard let named = members["requestId"], named != .null else {
            return .string(Randomness.system.uuid().uuidString.lowercased())
        }
        return named
    }

    /// GET /pairings/{id}/status.
    func pairing(_ shown: PairingCredential?) async throws -> LiquidPairing {
        guard let shown, let found = try await parts.pairings.find(shown, in: parts.database) else {
            throw LiquidRefusal.pairingUnauthorized
        }
        return found
    }

    /// DELETE /pairings/{id}: by either side. The page's session is above the wallet's.
    func revokePairing(_ shown: PairingCredential?, by presented: PresentedSession) async throws -> JSONValue {
        let pairing = try await pairing(shown)
        if pairing.status != .revoked {
            let actor = pairing.wallet.map { AuditActor.wallet($0, origin: presented.origin) } ?? presented.actor
            _ = try await parts.database.atomically { transaction in
                try await parts.revocation.revoke(
                    .virtual(LiquidSession.node(pairing.provider)), by: actor.because("pairing revoked"),
                    in: transaction)
            }
            await parts.signals.over([pairing.provider] + [pairing.controller].compactMap { $0 })
        }
        return LiquidPairing.over(pairing.id)
    }

    /// Whose socket it is that shows a pairing at CONNECT.
    func signallingSession(
        _ shown: PairingCredential?, page: String?, address: String?
    ) async throws -> SignallingSession {
        let pairing = try await pairing(shown), sessions = parts.sessions
        guard pairing.status != .revoked else { throw LiquidRefusal.pairingRevoked }
        guard let session = pairing.session else { throw LiquidRefusal.pairingUnauthorized }
        try await parts.database.atomically { try await parts.pairings.rejoin(pairing, in: $0) }
        // One that waits for its wallet has an end of its own, which its row says.
        let until = pairing.status == .active ? pairing.expiresAt : parts.clock.now() + LiquidPairing.lifetime
        return SignallingSession(
            session: session, isKept: true, origin: page, address: address, until: until, pairing: pairing.id
        ) { try await sessions.find(session, in: $0)?.id }
    }
}
