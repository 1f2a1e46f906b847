import Base
import Synchronization

/// Tokens that this process has noted as seen, so that a check writes once for each token and not at every use. Forgetting one costs a statement, nothing else.
final class SeenTokens: Sendable {
    static let most = 20_000

    private let tokens = Mutex<Set<NodeID>>([])

    func contains(_ token: NodeID) -> Bool { tokens.withLock { $0.contains(token) } }

    func insert(_ token: NodeID) {
        tokens.withLock { tokens in
            if tokens.count >= SeenTokens.most { tokens.removeAll() }
            tokens.insert(token)
        }
    }
}
