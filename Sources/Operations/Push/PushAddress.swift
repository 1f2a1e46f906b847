import Base
import Database
import Foundation

/// What `/api/push/device/register` tells (protocols/operations.md, 1.2): old and new names of platforms.
struct PushAddress: Sendable, Equatable {
    let platform: String
    let token: String
    let environment: String?

    init(_ bytes: [UInt8]) throws(OperationsRefusal) {
        let body = try PhoneBody(bytes)
        switch try body.required("platform", limit: 32).lowercased() {
        case "apns", "ios": platform = "apns"
        case "fcm", "android": platform = "fcm"
        case "hms", "huawei": platform = "hms"
        default: throw .pushRegistration("the platform is apns, fcm or hms")
        }
        let told = try body.required("token", limit: 4_096)
        // Apple's are hexadecimal: one device in capitals and in small letters is one address.
        token = platform == "apns" ? told.lowercased() : told
        guard token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .pushRegistration("the token has letters that no token has")
        }
        if platform == "apns" {
            let isHexadecimal =
                token.utf8.count <= 512 && token.utf8.count.isMultiple(of: 2) && token.allSatisfy(\.isHexDigit)
            guard isHexadecimal else { throw .pushRegistration("a token of APNs is hexadecimal") }
        }
        let named = try body.text("environment", limit: 32)
        if let named, !["development", "production"].contains(named) {
            throw .pushRegistration("the environment is development or production")
        }
        environment = platform == "apns" ? named : nil
    }

    /// Another registration of the application that told the same address has it no longer: it is one app on one phone,
    /// which began anew. `language` is the phone's Accept-Language, in which pushes will speak.
    func store(for registration: PhoneRegistration, language: String?, at now: Date, in database: Database) async throws
    {
        let place = "\(registration.applicationID) \(platform) \(token)"
        let mine: SQL = "(r.application || ' ' || r.push_platform || ' ' || r.push_token) = \(place)"
        try await database.atomically { transaction in
            // One after another, so that of two who tell one address at once the later has it; then the rows in one
            // order, so that those who swap addresses do not wait for each other.
            _ = try await transaction.batch([
                "select pg_advisory_xact_lock(hashtextextended(\(place), 50))",
                """
                select r.id from phone_registration r
                where r.id = \(registration.id) or (\(mine) and r.push_token is not null)
                order by r.id for no key update
                """,
                """
                update phone_registration r set push_platform = null, push_token = null, push_environment = null,
                    push_language = null
                where \(mine) and r.push_token is not null and r.id <> \(registration.id)
                """,
                """
                update phone_registration r set push_platform = \(platform), push_token = \(token),
                    push_environment = \(environment), push_language = \(PushAddress.language(language))
                where r.id = \(registration.id) and \(PhoneRegistration.isActive(at: now))
                """,
            ])
        }
    }

    /// What is asked for first, without what no header of an app has; `nil` for nothing.
    static func language(_ header: String?) -> String? {
        let ranges = PreferredLanguages(header).ranges.prefix(4)
        return ranges.isEmpty ? nil : ranges.joined(separator: ", ")
    }
}
