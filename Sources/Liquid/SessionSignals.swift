import Base
import Database

/// What signalling hears of sessions.
public struct SessionSignals: Sendable {
    /// In the transaction that lets a wallet in: what is written here is there or not there with the login.
    public let entered: @Sendable (EnteredWallet, any SQLExecutor) async throws -> Void
    /// After its commit.
    public let announced: @Sendable (EnteredWallet) async -> Void
    /// Sessions that are over, or that another took the place of: their sockets close, and clients come back with the
    /// cookie that they have then.
    public let over: @Sendable (_ sessions: [String]) async -> Void

    public init(
        entered: @escaping @Sendable (EnteredWallet, any SQLExecutor) async throws -> Void,
        announced: @escaping @Sendable (EnteredWallet) async -> Void,
        over: @escaping @Sendable (_ sessions: [String]) async -> Void
    ) {
        (self.entered, self.announced, self.over) = (entered, announced, over)
    }

    /// Where there is no signalling.
    public static let none = SessionSignals(entered: { _, _ in }, announced: { _ in }, over: { _ in })
}

/// A wallet whose passkey answered rightly.
public struct EnteredWallet: Sendable {
    public let wallet: String
    public let credential: [UInt8]
    /// As the wallet sent it, unchecked; absent where it named none.
    public let requestID: JSONValue?
    /// The session that it is in now.
    public let session: String
    /// The one in whose place it is: same device, new cookie. What it had begun is the new one's.
    public let replaced: String
}
