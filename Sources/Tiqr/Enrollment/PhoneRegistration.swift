import Base

/// What the phone posts to register (protocols/tiqr.md, 1.3). Everything is checked before an enrollment is touched, so
/// that a bad form consumes nothing.
struct PhoneRegistration: Sendable {
    struct Malformed: Error, CustomStringConvertible { let description: String }

    let secret: SecretBytes
    let address: PushAddress?
    let language: PhoneLanguage?

    init(_ form: [String: String]) throws(Malformed) {
        guard form["operation"] == "register" else { throw Malformed(description: "operation must be register") }
        // `ab` sixteen times is hexadecimal, but too short: 32…64 bytes.
        guard let text = form["secret"], (64...128).contains(text.utf8.count), let bytes = Hexadecimal.decode(text)
        else {
            throw Malformed(description: "secret must be 32 to 64 bytes in hexadecimal")
        }
        secret = SecretBytes(bytes)
        (address, language) = (PushAddress(form), PhoneLanguage(form))
    }
}

/// Where a phone can be pushed to. Unknown types are kept: they must not fail an enrollment.
struct PushAddress: Sendable, Equatable {
    let type: String
    let address: String

    init(type: String, address: String) { (self.type, self.address) = (type, address) }

    /// `nil` without both: phones without one send nothing, nothing in it, or the word for nothing of their language.
    init?(_ form: [String: String]) {
        guard let type = form["notificationType"], let address = form["notificationAddress"], !PushAddress.isNone(type),
            !PushAddress.isNone(address),
            type.utf8.count <= 64, address.utf8.count <= 4_096
        else { return nil }
        self.init(type: type, address: address)
    }

    private static func isNone(_ text: String) -> Bool { ["", "null", "(null)", "NULL"].contains(text) }
}
