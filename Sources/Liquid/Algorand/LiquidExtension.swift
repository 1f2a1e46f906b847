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

    /// The address whose key signed `challenge`.
    func signer(of challenge: [UInt8], by authority: SigningAuthority) async throws(WalletRefusal) -> AlgorandAddress {
        guard members["type"]?.string == "algorand" else { throw .typeUnknown }
        guard let text = members["address"]?.string else { throw .addressMalformed }
        let address = try AlgorandAddress(text)
        guard let signature = members["signature"]?.string.flatMap({ Base64URL.decode($0) }), signature.count == 64
        else { throw .signatureMalformed }
        let key = try await authority.key(of: address)
        guard let publicKey = try? Curve25519.Signing.PublicKey(rawRepresentation: key),
            publicKey.isValidSignature(Data(signature), for: Data(challenge))
        else {
            throw .signatureMismatch
        }
        return address
    }

    /// What the wallet says it runs on: beside the extension's members or beside the response's; one line, at most 100
    /// characters.
    func device(_ response: JSONValue) -> String? {
        DeviceName.fit(response["device"]?.string ?? members["device"]?.string)
    }
}
