import Base
import Database

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
        token = try body.required("token", limit: 4_096)
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

    func store(for registration: PhoneRegistration, in executor: any SQLExecutor) async throws {
        _ = try await executor.execute(
            """
            update phone_registration set push_platform = \(platform), push_token = \(token),
                push_environment = \(environment)
            where id = \(registration.id) and state = 'ACTIVE'
            """)
    }
}
