import Base
import PowerAuth

/// Activation codes of the server's own registrations: computed from the id under the master key, since a page shows
/// its code again and again. The row has the hash alone, as for every other code.
struct ApprovalPhoneCodes: Sendable {
    private let key: SecretBytes

    init(master: MasterKey) { key = master.derive("activation codes of the server") }

    func code(of registration: String) -> ActivationCode {
        ActivationCode(random: Array(Digest.hmac(key: key, registration.utf8).prefix(10)))
    }
}
