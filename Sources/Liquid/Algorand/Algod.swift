import Base

/// A node of Algorand, asked which key may sign for an address (decisions.md, liquid 5).
public struct Algod: Sendable {
    /// `GET /v2/accounts/{address}?exclude=all`, its body of status 200. Whatever it throws means: not known, and the
    /// wallet is refused.
    public let account: @Sendable (_ address: String) async throws -> JSONValue

    public init(account: @escaping @Sendable (_ address: String) async throws -> JSONValue) { self.account = account }
}

/// The key that may sign for an address: its own, or the one to which the account was rekeyed, which then alone counts.
/// Without a node nobody is rekeyed.
struct SigningAuthority: Sendable {
    let algod: Algod?

    func key(of address: AlgorandAddress) async throws(WalletRefusal) -> [UInt8] {
        guard let algod else { return address.key }
        let account: JSONValue
        do { account = try await algod.account(address.text) } catch { throw .authorityUnknown }
        guard account["address"]?.string == address.text else { throw .authorityUnknown }
        switch account["auth-addr"] {
        case .none, .some(.null): return address.key
        case .some(.string(let other)):
            do { return try AlgorandAddress(other).key } catch { throw .authorityUnknown }
        default: throw .authorityUnknown
        }
    }
}
