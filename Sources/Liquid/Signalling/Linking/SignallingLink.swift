import Base
import Database
import Foundation

/// Of which side of a link a session is.
enum LinkSide: String, Sendable {
    case page, wallet
    var other: LinkSide { self == .page ? .wallet : .page }
}

/// A page and a wallet that belong together: exactly two sessions.
public struct SignallingLink: Sendable, Equatable {
    public let request: RequestID
    /// The page's session and the wallet's.
    public let linker: String
    public let session: String
    public let wallet: String
    public let credential: [UInt8]

    func side(of session: String?) -> LinkSide? {
        switch session {
        case linker: .page
        case self.session: .wallet
        default: nil
        }
    }

    /// The one argument of the acknowledgement of `link`.
    func acknowledgement(pairing: String?) -> JSONValue {
        var data: JSONObject = [
            "credId": .string(Base64URL.encode(credential)), "requestId": request.json, "wallet": .string(wallet),
        ]
        if let pairing {
            data["version"] = .integer(LiquidPairing.version)
            data["pairingId"] = .string(pairing)
        }
        return ["data": .object(data)]
    }
}

/// A row of `signalling_link`.
struct LinkRow: Sendable {
    let request: RequestID
    let linker: String?
    let session: String?
    let wallet: String?
    let credential: [UInt8]?
    let linkedAt: Date?

    static let columns: SQL = "request, linker, session, wallet, credential, linked_at"

    init(_ row: Row) throws(DatabaseError) {
        guard let request = RequestID(key: try row("request")) else {
            throw .decoding(column: "request", expected: "RequestID")
        }
        self.request = request
        linker = try row("linker")
        session = try row("session")
        wallet = try row("wallet")
        credential = try row("credential")
        linkedAt = try row("linked_at")
    }

    /// Both sides, whether linked yet or not.
    var both: SignallingLink? {
        guard let linker, let session, let wallet, let credential else { return nil }
        return SignallingLink(
            request: request, linker: linker, session: session, wallet: wallet, credential: credential)
    }
}
