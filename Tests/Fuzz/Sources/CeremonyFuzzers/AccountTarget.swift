import Base
import Harness

@testable import Liquid

/// Names of accounts: Algorand's and Solana's, from anybody.
enum AccountTarget {
    static let target = Target("account", run: run)

    private static func run(_ input: [UInt8]) {
        let text = String(decoding: input, as: UTF8.self)
        if let bytes = Base58.decode(text) { require(Base58.encode(bytes) == text, "base58 has one spelling") }
        if input.count <= 46 {
            let spelled = Base58.encode(input)
            require(spelled.utf8.count > 64 || Base58.decode(spelled) == input, "what is written is read")
        }
        for chain in [WalletSignatureType.Chain.algorand, .solana] {
            guard let account = try? WalletAccount(text, of: chain) else { continue }
            require(account.key.count == 32 && account.text == text, "an account has a key, and its own name")
            let again = chain == .algorand ? AlgorandAddress.text(of: account.key) : Base58.encode(account.key)
            require(again == text, "one name for each key")
        }
    }
}
