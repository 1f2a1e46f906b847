import Base
import Foundation

/// Names that mean something to one service only (OpenID Connect Core, 8.1; token-tree.md, "Reaching the services").
public struct PairwiseNames: Sendable {
    private let key: SecretBytes

    /// 256 bits from outside the database.
    public init(key: SecretBytes) { self.key = key }

    /// `sub` of a person at a service.
    public func subject(of account: UUID, at service: String) -> String {
        name("subject", account.uuidString.lowercased(), service)
    }

    /// A node of the tree at a service.
    public func node(_ node: NodeID, at service: String) -> String { name("node", node.description, service) }

    /// What a person holds, as they alone are told it: nobody can guess it, and it is worth nothing to anybody else.
    public func branch(_ label: String, of account: UUID) -> String {
        name("branch", label, account.uuidString.lowercased())
    }

    /// HMAC in the shape of a version 8 UUID. The parts are joined by a character that none of them holds.
    private func name(_ purpose: String, _ value: String, _ service: String) -> String {
        let perService = SecretBytes(Digest.hmac(key: key, "\(purpose)\u{0}\(service)".utf8))
        var bytes = Array(Digest.hmac(key: perService, value.utf8).prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        return NodeID(rawValue: bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }).description
    }
}
