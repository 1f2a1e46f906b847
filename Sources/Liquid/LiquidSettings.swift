import Foundation
import WebAuthn

/// How this server does passkeys.
public struct LiquidSettings: Sendable {
    /// What wallets are asked: ES256 first, user verification always.
    public let wallets: RelyingParty
    /// What people of this IdP are asked.
    public let people: RelyingParty
    /// Seconds for a wallet's answer: as upstream, since it waits for a person with two devices.
    public let walletTimeout: TimeInterval
    public let peopleTimeout: TimeInterval
    /// Seconds of a `connect.sid` that is not used.
    public let sessionLifetime: TimeInterval
    /// A new passkey takes a signature that names it, not one over the challenge alone (`WalletSignatureType`).
    public let isBoundOnly: Bool
    public var relays = RelaySettings.none

    public init(
        wallets: RelyingParty, people: RelyingParty, walletTimeout: TimeInterval = 1_800,
        peopleTimeout: TimeInterval = 300,
        sessionLifetime: TimeInterval = 14 * 86_400, isBoundOnly: Bool = false
    ) {
        self.isBoundOnly = isBoundOnly
        (self.wallets, self.people, self.walletTimeout, self.peopleTimeout) = (
            wallets, people, walletTimeout, peopleTimeout
        )
        self.sessionLifetime = sessionLifetime
    }

    /// `rpID` is the issuer's host, `origins` what web wallets and Android apps say (`https://…`,
    /// `android:apk-key-hash:…`), `peopleOrigins` the issuer's own. iOS wallets say `https://` and the RP ID, wherever
    /// the service is (protocols/liquid.md, 1.5), so that is always among the wallets'.
    public init(
        rpID: String, name: String, origins: Set<String>, peopleOrigins: Set<String>,
        attestation: AttestationPolicy = .lenient, isBoundOnly: Bool = false
    ) {
        self.init(
            wallets: RelyingParty(
                id: rpID, name: name, origins: origins.union(peopleOrigins).union(["https://\(rpID)"]),
                algorithms: COSEAlgorithm.ofWallets,
                attestation: attestation),
            people: RelyingParty(
                id: rpID, name: name, origins: peopleOrigins, algorithms: COSEAlgorithm.usual,
                attestation: attestation),
            isBoundOnly: isBoundOnly)
    }
}

extension COSEAlgorithm {
    /// Wallets take the first that they know, which must be ES256.
    static let ofWallets: [COSEAlgorithm] = [.es256, .edDSA, .rs256]
}
