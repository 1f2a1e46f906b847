import Base

/// Ids of Engine.IO sessions: the replica that has it, what nobody may guess, and a MAC over both. What names another
/// replica is passed on only with a right MAC, so that nobody makes replicas write to one another who has not opened a
/// session at one of them.
struct SocketNames: Sendable {
    private static let dot: Character = "."
    private let key: SecretBytes

    /// The same at all replicas.
    init(key: SecretBytes) { self.key = key }

    func make(at replica: String, _ randomness: Randomness) -> String {
        let name = replica + String(SocketNames.dot) + randomness.identifier()
        return name + String(SocketNames.dot) + mac(name)
    }

    /// As it says, whoever made it.
    static func replica(in sid: String) -> String? { sid.firstIndex(of: dot).map { String(sid[..<$0]) } }

    func isGenuine(_ sid: String) -> Bool {
        guard let end = sid.lastIndex(of: SocketNames.dot) else { return false }
        return ConstantTime.equal(Array(sid[sid.index(after: end)...].utf8), Array(mac(sid[..<end]).utf8))
    }

    private func mac(_ name: some StringProtocol) -> String {
        Base64URL.encode(Digest.hmac(key: key, Array(name.utf8)).prefix(16))
    }
}
