import Base
import Crypto
import Foundation
import Passkeys

/// `clientExtensionResults.liquid` (protocols/liquid.md, 1.6): a wallet's signature by its account's key over the
/// challenge's bytes.
struct LiquidExtension: Sendable {
    let members: JSONObject

    /// `nil` where the response has none.
    init?(_ response: JSONValue) {
        guard let members = response["clientExtensionResults"]?["liquid"]?.object else { return nil }
        self.members = members
    }

    /// As it was sent.
    var requestID: JSONValue? {
        guard let sent = members["requestId"], sent != .null else { return Optional.none }
        return sent
    }

    /// At an assertion it need not be there; what is there must be right.
    var isSigned: Bool { members["signature"] != nil || members["address"] != nil }

    /// The account whose key signed what its `type` says, for the passkey `credential`.
    func signer(
        of challenge: [UInt8], for credential: [UInt8], at rpID: String, isBoundOnly: Bool,
        by authority: SigningAuthority
    ) async throws(WalletRefusal) -> WalletAccount {
        guard let name = members["type"]?.string, !WalletSignatureType.withoutVerifier.contains(name) else {
            throw members["type"]?.string == nil ? .typeUnknown : .typeWithoutVerifier
        }
        guard let type = WalletSignatureType(rawValue: name) else { throw .typeUnknown }
        guard type.isBound || !isBoundOnly else { throw .bindingRequired }
        guard let text = members["address"]?.string else { throw .addressMalformed }
        let account = try WalletAccount(text, of: type.chain)
        guard let signature = members["signature"]?.string.flatMap({ Base64URL.decode($0) }), signature.count == 64
        else { throw .signatureMalformed }
        try checkKey(of: account, type.chain)
        let key = type.chain == .algorand ? try await authority.key(of: try AlgorandAddress(text)) : account.key
        let message = type.signed(challenge, credential: credential, rpID: rpID)
        guard let publicKey = try? Curve25519.Signing.PublicKey(rawRepresentation: key),
            publicKey.isValidSignature(Data(signature), for: Data(message))
        else {
            throw .signatureMismatch
        }
        return account
    }

    /// Wallets of Solana tell their key beside the address, which is the same 32 bytes: base64url, or base58 again.
    private func checkKey(of account: WalletAccount, _ chain: WalletSignatureType.Chain) throws(WalletRefusal) {
        guard chain == .solana, let told = members["publicKey"], told != .null else { return }
        guard let text = told.string, text == account.text || Base64URL.decode(text) == account.key else {
            throw .addressMismatch
        }
    }

    /// What the wallet says it runs on: beside the extension's members or beside the response's; one line, at most 100
    /// characters.
    func device(_ response: JSONValue) -> String? {
        DeviceName.fit(response["device"]?.string ?? members["device"]?.string)
    }
}
