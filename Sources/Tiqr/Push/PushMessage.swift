import Base
import Foundation
import HTTP

/// One push: the same link as in the QR code, and where it goes.
struct PushMessage: Sendable {
    let identity: String
    let externalID: String?
    let type: String
    let address: String
    /// The custom-scheme link.
    let link: String
    /// What the phone shows.
    let text: String
    let serviceName: String
    let expiresAt: Date
    /// Of the authentication, without telling its id: two copies of one push become one on the phone.
    let collapse: String

    func with(address: String) -> PushMessage {
        PushMessage(
            identity: identity, externalID: externalID, type: type, address: address, link: link, text: text,
            serviceName: serviceName, expiresAt: expiresAt,
            collapse: collapse)
    }

    /// Seconds that are left, at least 1.
    func timeout(at now: Date) -> Int { max(1, Int(expiresAt.timeIntervalSince(now))) }
}

enum PushResult: Sendable, Equatable {
    case delivered
    /// The app is no longer there: the address is forgotten, QR codes go on.
    case addressGone
    /// Nothing that a later try would change.
    case refused(String)
    case later(String)
}

/// HTTP as a closure: `pando` gives the client (HTTP/2, bounded in time and size), tests a fake.
public struct PushHTTP: Sendable {
    public typealias Request = OutgoingHTTP.Request
    public typealias Answer = OutgoingHTTP.Answer

    public let send: @Sendable (Request) async throws -> Answer

    public init(send: @escaping @Sendable (Request) async throws -> Answer) { self.send = send }
}
