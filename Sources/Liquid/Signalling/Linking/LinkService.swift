import Base
import Database
import Foundation
import TokenTree

/// Who opened a socket.
public struct SignallingSession: Sendable {
    /// The name of the session, also of one without a row.
    public let session: String
    /// Whether it has one; then its end closes the socket.
    public let isKept: Bool
    /// Of the page, and the peer's address.
    public let origin: String?
    public let address: String?
    /// What limits count by: an IPv4 address, or the /64 of an IPv6 one, which is one subscriber's (RFC 6177).
    let network: String?
    /// Gives the session its row; its id, or `nil` when it has ended.
    public let keep: @Sendable (any SQLExecutor) async throws -> String?
    /// When the token ends that the session stands for; `nil` for those of cookies.
    public let until: Date?
    /// The pairing that the session is a side of.
    public let pairing: String?
    /// Who it is by what a CONNECT shows; `nil` where nothing shown there counts.
    let authenticate: SocketAuthentication?

    public init(
        session: String, isKept: Bool, origin: String?, address: String?, until: Date? = nil, pairing: String? = nil,
        authenticate: SocketAuthentication? = nil,
        keep: @escaping @Sendable (any SQLExecutor) async throws -> String?
    ) {
        (self.session, self.isKept, self.address, self.keep) = (session, isKept, address, keep)
        (self.until, self.pairing, self.authenticate) = (until, pairing, authenticate)
        self.origin = origin.map { String($0.prefix(300)) }
        network = address.map { IPAddress.network($0) }
    }
}

/// Brings the two sides of a request together (decisions.md, liquid 2 and 11).
struct LinkService: Sendable {
    enum Answer: Sendable, Equatable {
        case linked(SignallingLink)
        /// The wallet has not come yet.
        case waiting
        /// Over, or of others: it is never acknowledged.
        case refused
    }

    /// Undoes what the transaction did: who is refused gets no row for his session.
    private struct Refused: Error {}

    let store: LinkStore
    let sessions: SignallingSessions

    /// `link` of a socket. A session has a row from then on.
    func link(_ request: RequestID, by presented: SignallingSession, in database: Database) async throws -> Answer {
        do {
            return try await database.atomically { transaction -> Answer in
                guard let session = try await presented.keep(transaction),
                    let row = try await store.claim(request, by: session, origin: presented.origin, in: transaction)
                else { throw Refused() }
                guard let link = row.both else { return .waiting }
                guard try await settle(link, row, in: transaction) else { throw Refused() }
                return .linked(link)
            }
        } catch is Refused {
            return .refused
        }
    }

    /// A wallet was let in, in the transaction of that. A request id that is none, or of others, takes nothing from the
    /// login.
    func entered(_ wallet: EnteredWallet, in transaction: any SQLExecutor) async throws {
        try await store.move(wallet.replaced, to: wallet.session, in: transaction)
        guard let request = RequestID(wallet.requestID),
            let row = try await store.enter(request, wallet, in: transaction), let link = row.both
        else { return }
        _ = try await settle(link, row, in: transaction)
    }

    /// Logs the page in, once. A login at the IdP is no session: what comes of its answer is settled there, and the
    /// wallet is linked with nobody.
    private func settle(_ link: SignallingLink, _ row: LinkRow, in transaction: any SQLExecutor) async throws -> Bool {
        guard !LinkStore.isLogin(link.linker) else { return false }
        guard row.linkedAt == nil else { return true }
        guard try await sessions.grant(link, transaction) else { return false }
        try await store.complete(link.request, in: transaction)
        return true
    }
}
