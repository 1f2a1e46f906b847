import Base
import Foundation
import Vocabulary

/// Nonces that this server gives for DPoP proofs (RFC 9449, 8 and 9): a proof that names one was not made before it was
/// given.
///
/// Stateless: a nonce is an HMAC over the time slot, so every process with the key knows it, and nobody else can make
/// the next one.
public struct ServerNonce: Sendable {
    /// What is asked of a proof without a nonce. One with a wrong or old nonce is always refused.
    public enum Demand: String, Sendable, CaseIterable { case accepted, required }

    /// Seconds in which the same nonce is given; the one before is taken too, so each is good for five to ten minutes.
    static let slot = 300

    let key: SecretBytes
    let demand: Demand
    let clock: WallClock

    public init(key: SecretBytes, demand: Demand, clock: WallClock) {
        (self.key, self.demand, self.clock) = (key, demand, clock)
    }

    /// For the `DPoP-Nonce` header.
    public var current: String { nonce(at: slot) }

    /// `claimed` is the proof's `nonce`, whatever JSON it is.
    func check(_ claimed: JSONValue?) throws(OAuthError) {
        guard let claimed else {
            guard demand == .accepted else {
                throw refused("the proof has no nonce; take the one in the DPoP-Nonce header")
            }
            return
        }
        guard let text = claimed.string, [slot, slot - 1].contains(where: { ConstantTime.equal(nonce(at: $0), text) })
        else {
            throw refused("the proof's nonce is old or not from this server; take the one in the DPoP-Nonce header")
        }
    }

    private var slot: Int { clock.now().numericDate / ServerNonce.slot }
    private func nonce(at slot: Int) -> String { Base64URL.encode(Digest.hmac(key: key, "DPoP nonce \(slot)".utf8)) }
    private func refused(_ why: String) -> OAuthError { OAuthError(.useNonce, why) }
}
