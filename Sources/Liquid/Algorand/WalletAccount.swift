import Base

/// Which keys wallets sign with, and what: `type` of the extension (protocols/liquid.md, 1.6; docs/liquid.md, "What is
/// signed").
///
/// The plain ones sign the bytes of the challenge and nothing else, which a page of somebody else can pass on to a
/// wallet, and register a passkey of its own with the signature. The bound ones sign what the passkey is as well.
enum WalletSignatureType: String, Sendable, CaseIterable {
    case algorand
    case algorandBound = "algorand-bound"
    case solana
    case solanaBound = "solana-bound"

    enum Chain: Sendable { case algorand, solana }

    var chain: Chain {
        switch self {
        case .algorand, .algorandBound: .algorand
        case .solana, .solanaBound: .solana
        }
    }

    var isBound: Bool {
        switch self {
        case .algorand, .solana: false
        case .algorandBound, .solanaBound: true
        }
    }

    /// Names that wallets have for keys which nothing here can check: no library of Falcon is kept in Debian or with
    /// swift-crypto, and one of ours would be unproven.
    static let withoutVerifier: Set<String> = ["falcon-1024", "falcon", "falcon-1024-bound"]

    /// What a relying party takes, the safest first.
    static func offered(isBoundOnly: Bool) -> [WalletSignatureType] {
        allCases.filter(\.isBound) + (isBoundOnly ? [] : allCases.filter { !$0.isBound })
    }

    /// The bytes that the account signs. Those of the bound types begin with a label in clear and are 47, so that they
    /// are no challenge: a service of somebody else, at which a wallet signs plainly, could give it a hash of 32 bytes
    /// as its own challenge. Behind the label is SHA-256 of RP ID, challenge and id of the passkey, each of a known
    /// length.
    func signed(_ challenge: [UInt8], credential: [UInt8], rpID: String) -> [UInt8] {
        guard isBound else { return challenge }
        return Array("liquid bound 1\u{0}".utf8)
            + Digest.sha256(Digest.sha256(rpID) + challenge + Digest.sha256(credential))
    }
}

/// An account of a chain, by the address that names its Ed25519 key.
struct WalletAccount: Sendable, Hashable {
    let text: String
    let key: [UInt8]

    init(_ text: String, of chain: WalletSignatureType.Chain) throws(WalletRefusal) {
        switch chain {
        case .algorand: (self.text, key) = (text, try AlgorandAddress(text).key)
        case .solana: (self.text, key) = (text, try SolanaAddress(text).key)
        }
    }
}

/// A Solana account's address: base58 of its Ed25519 key. One spelling for each key.
struct SolanaAddress: Sendable, Hashable {
    let text: String
    let key: [UInt8]

    init(_ text: String) throws(WalletRefusal) {
        guard (32...44).contains(text.utf8.count), let key = Base58.decode(text), key.count == 32 else {
            throw .addressMalformed
        }
        guard !AlgorandAddress.isSmall(key) else { throw .addressUnsound }
        (self.text, self.key) = (text, key)
    }
}

/// Base58 as Bitcoin and Solana write it: no zero, no capital O or I, no small l; a leading 1 is a zero byte.
enum Base58 {
    private static let alphabet = Array("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz".utf8)

    /// For names of keys: work grows with the square of the length.
    private static let longest = 64

    static func encode(_ bytes: [UInt8]) -> String {
        var digits: [UInt8] = []
        for byte in bytes {
            var carry = Int(byte)
            for place in digits.indices {
                carry += Int(digits[place]) << 8
                digits[place] = UInt8(carry % 58)
                carry /= 58
            }
            while carry > 0 {
                digits.append(UInt8(carry % 58))
                carry /= 58
            }
        }
        let zeros = bytes.prefix { $0 == 0 }.map { _ in alphabet[0] }
        return String(decoding: zeros + digits.reversed().map { alphabet[Int($0)] }, as: UTF8.self)
    }

    /// `nil` for foreign letters, and for more than anything here has.
    static func decode(_ text: String) -> [UInt8]? {
        guard text.utf8.count <= longest else { return nil }
        var bytes: [UInt8] = []
        for letter in text.utf8 {
            guard var carry = alphabet.firstIndex(of: letter) else { return nil }
            for place in bytes.indices {
                carry += Int(bytes[place]) * 58
                bytes[place] = UInt8(carry & 0xFF)
                carry >>= 8
            }
            while carry > 0 {
                bytes.append(UInt8(carry & 0xFF))
                carry >>= 8
            }
        }
        return text.utf8.prefix { $0 == alphabet[0] }.map { _ in 0 } + bytes.reversed()
    }
}
