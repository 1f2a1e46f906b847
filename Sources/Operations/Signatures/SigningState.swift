import Base
import PowerAuth

/// What a registration signs with at the moment, of either protocol: its counter and its keys.
struct SigningState: Sendable {
    private enum Keys: Sendable {
        case three(ActivationKeys)
        case four(AgreedKeys)
    }

    private let registration: PhoneRegistration
    private let counter: HashCounter
    private let keys: Keys
    private let vault: SealedColumns

    /// `versionUnsupported` for a signature in another protocol than the registration's. A wrong one of those that
    /// are to confirm an upgrade must not be found by the keys from before it, and the application has to take what the
    /// upgrade leads to still: its owner may have thought better of it since the start.
    init(of registration: PhoneRegistration, for request: SignedRequest, keys: RegistrationKeys) throws {
        if request.standing == .upgrading {
            guard request.header.version.isProtocol4 else { throw PowerAuthRefusal.versionUnsupported }
            let pending = try keys.pending(of: registration)
            try registration.choice.admit(pending.algorithm)
            guard request.header.type != .possessionBiometry || pending.isBiometric else {
                throw PowerAuthRefusal.biometryOff
            }
            self.init(
                registration, pending.counter, .four(try AgreedKeys(pending.secrets)), vault: keys.vault)
            return
        }
        guard request.header.version.isProtocol4 == (registration.protocolVersion == .four) else {
            throw PowerAuthRefusal.versionUnsupported
        }
        guard request.standing != .confirming || registration.protocolVersion == .four else {
            throw PowerAuthRefusal.protocolNotTaken
        }
        guard SigningState.takes(request.header.type, registration) else { throw PowerAuthRefusal.biometryOff }
        try self.init(of: registration, keys: keys)
    }

    /// Protocol 4 tells the server whether biometry is on. While it is off nothing is right with it, although the key
    /// of the beginning can always be derived.
    static func takes(_ type: FactorType, _ registration: PhoneRegistration) -> Bool {
        type != .possessionBiometry || registration.protocolVersion == .three || registration.isBiometric
    }

    init(of registration: PhoneRegistration, keys: RegistrationKeys) throws {
        if let agreement = registration.agreement {
            self.init(
                registration, agreement.counter, .four(try keys.agreed(of: registration)), vault: keys.vault)
            return
        }
        guard let exchange = registration.exchange else { throw PowerAuthRefusal.activationUnknown }
        self.init(registration, exchange.counter, .three(try keys.keys(of: registration)), vault: keys.vault)
    }

    private init(_ registration: PhoneRegistration, _ counter: HashCounter, _ keys: Keys, vault: SealedColumns) {
        (self.registration, self.counter, self.keys, self.vault) = (registration, counter, keys, vault)
    }

    /// The digits of a code without a network are 3.0's, or protocol 4's own.
    var offlineVersion: PowerAuthVersion {
        switch keys {
        case .three: .v30
        case .four: .v40
        }
    }

    /// How the registration changes by the signature of a request; `nil` when it is wrong.
    func find(
        _ signature: String, _ header: SignatureHeader, lookAhead: Int, data: [UInt8]
    ) throws -> CounterMove? {
        try find(header.type) { keys in
            FactorSignature.find(
                signature, header.version, keys: keys, counter: counter, lookAhead: lookAhead, data: data
            ).map(CounterMove.init)
        }
    }

    /// As above, of a code that a person typed: two groups of eight digits.
    func find(typed code: String, _ type: FactorType, lookAhead: Int, data: [UInt8]) throws -> CounterMove? {
        try find(type) { keys in
            var tried = counter
            for step in 0..<max(0, lookAhead) {
                let digits = FactorSignature.decimal(offlineVersion, keys: keys, counter: tried, data: data)
                if ConstantTime.equal(digits, code) { return CounterMove(steps: step + 1, next: tried.next().bytes) }
                tried = tried.next()
            }
            return nil
        }
    }

    /// A key that the phone has asked for counts from the first time that it is used, and until then the one before.
    private func find(_ type: FactorType, _ match: ([SecretBytes]) -> CounterMove?) throws -> CounterMove? {
        switch keys {
        case .three(let keys): return match(keys.keys(type))
        case .four(let keys):
            if let move = keys.keys(type).flatMap(match) { return move }
            guard let factor = keys.awaited(type), var move = keys.keys(type, nextOf: factor).flatMap(match) else {
                return nil
            }
            let secrets = keys.secrets.promoting(factor)
            move.secrets = try vault.seal(secrets.bytes, .registrationSecrets, of: registration.id)
            return move
        }
    }

    /// Whether the first component, which the device's key alone makes, is right at some counter of the window. The
    /// groups of Base64 are 16 bytes, in protocol 4 32.
    func isOfTheDevice(_ header: SignatureHeader, lookAhead: Int, data: [UInt8]) -> Bool {
        let size = header.version.isProtocol4 ? 32 : 16
        guard let bytes = Base64Text.decode(header.signature), bytes.count == size * header.type.factors.count else {
            return false
        }
        let first = Base64Text.encode(bytes.prefix(size))
        let possession: SecretBytes
        switch keys {
        case .three(let keys): possession = keys.possession
        case .four(let keys): possession = keys.activation.possession
        }
        return FactorSignature.find(
            first, header.version, keys: [possession], counter: counter, lookAhead: lookAhead, data: data) != nil
    }
}
