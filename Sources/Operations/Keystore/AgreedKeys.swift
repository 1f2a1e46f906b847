import Base
import PowerAuth

/// The keys of a registration of protocol 4, opened.
struct AgreedKeys: Sendable {
    let activation: ActivationSecret
    let secrets: RegistrationSecrets

    init(_ secrets: RegistrationSecrets) throws(PowerAuthRefusal) {
        (activation, self.secrets) = (try ActivationSecret(secrets.activation), secrets)
    }

    /// What codes of `type` are made with; `nextOf` is the factor whose key the phone has asked for anew. `nil` where
    /// there is none.
    func keys(_ type: FactorType, nextOf factor: Factor? = nil) -> [SecretBytes]? {
        var keys: [SecretBytes] = []
        for part in type.factors {
            guard let key = part == factor ? next(part) : current(part) else { return nil }
            keys.append(key)
        }
        return keys
    }

    /// The factor of `type` for which a next key waits.
    func awaited(_ type: FactorType) -> Factor? { type.factors.first { next($0) != nil } }

    private func current(_ factor: Factor) -> SecretBytes {
        switch factor {
        case .possession: activation.possession
        case .knowledge: secrets.knowledge ?? activation.knowledge
        case .biometry: secrets.biometry ?? activation.biometry
        }
    }

    private func next(_ factor: Factor) -> SecretBytes? {
        switch factor {
        case .possession: nil
        case .knowledge: secrets.nextKnowledge
        case .biometry: secrets.nextBiometry
        }
    }
}
