import Synchronization

/// Clients as they were when they were last read, so that who asks again and again is not read each time.
///
/// What stands here may be out of date: whoever lets one in by it asks the database, with whatever it asks that next,
/// whether the client `isUnchanged`, and refuses nobody by it.
final class ClientMemory: Sendable {
    /// Then all are forgotten.
    private static let most = 10_000

    private let clients = Mutex<[String: WebClient]>([:])

    func find(_ id: String) -> WebClient? { clients.withLock { $0[id] } }

    /// `nil`: there is none of this id.
    func keep(_ client: WebClient?, _ id: String) {
        clients.withLock { clients in
            if clients.count >= ClientMemory.most { clients = [:] }
            clients[id] = client
        }
    }
}
