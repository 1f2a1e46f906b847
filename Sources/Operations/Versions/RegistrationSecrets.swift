import Base
import Database
import PowerAuth

/// What a registration of protocol 4 keeps secret, sealed as one value. The keys of knowledge and biometry come from
/// the activation's secret until the phone changes them: then they are here. A key that the phone has asked for and not
/// used yet stands beside the one that is used, since its answer may never have come.
struct RegistrationSecrets: Sendable {
    private static let version: UInt8 = 1

    let activation: SecretBytes
    var knowledge: SecretBytes?
    var nextKnowledge: SecretBytes?
    var biometry: SecretBytes?
    var nextBiometry: SecretBytes?

    init(activation: SecretBytes) { self.activation = activation }

    /// `keyMalformed` when it was not written by `bytes`.
    init(_ sealed: SecretBytes) throws(PowerAuthRefusal) {
        var rest = sealed.expose { $0 }[...]
        guard rest.popFirst() == RegistrationSecrets.version else { throw .keyMalformed }
        var parts: [SecretBytes?] = []
        while let high = rest.popFirst(), let low = rest.popFirst() {
            let count = Int(high) << 8 | Int(low)
            guard count <= rest.count else { throw .keyMalformed }
            parts.append(count == 0 ? nil : SecretBytes(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        guard rest.isEmpty, parts.count == 5, let activation = parts[0] else { throw .keyMalformed }
        self.init(activation: activation)
        (knowledge, nextKnowledge, biometry, nextBiometry) = (parts[1], parts[2], parts[3], parts[4])
    }

    var bytes: SecretBytes {
        var all = [RegistrationSecrets.version]
        for part in [activation, knowledge, nextKnowledge, biometry, nextBiometry] {
            let bytes = part?.expose { $0 } ?? []
            all += [UInt8(truncatingIfNeeded: bytes.count >> 8), UInt8(truncatingIfNeeded: bytes.count)] + bytes
        }
        return SecretBytes(all)
    }

    /// As they are when the phone has shown that it has the next key of `factor`.
    func promoting(_ factor: Factor) -> RegistrationSecrets {
        var secrets = self
        switch factor {
        case .possession: break
        case .knowledge: (secrets.knowledge, secrets.nextKnowledge) = (nextKnowledge, nil)
        case .biometry: (secrets.biometry, secrets.nextBiometry) = (nextBiometry, nil)
        }
        return secrets
    }
}
