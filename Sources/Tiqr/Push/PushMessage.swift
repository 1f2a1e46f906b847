import Base
import Foundation
import Push

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

extension PushMessage {
    func apns(at now: Date) -> APNsNotification {
        APNsNotification(
            address: address,
            payload: [
                "aps": [
                    "alert": ["body": .string(text)], "sound": "default", "mutable-content": 1,
                    "interruption-level": "time-sensitive",
                ],
                "challenge": .string(link), "authenticationTimeout": .integer(timeout(at: now)),
                "serviceName": .string(serviceName),
            ], expiresAt: expiresAt, collapse: collapse)
    }

    /// Data alone: the app shows the text itself.
    func fcm(at now: Date) -> FCMNotification {
        FCMNotification(
            address: address,
            data: [
                ("challenge", link), ("authenticationTimeout", String(timeout(at: now))), ("text", text),
                ("serviceName", serviceName),
            ], expiresAt: expiresAt)
    }
}
