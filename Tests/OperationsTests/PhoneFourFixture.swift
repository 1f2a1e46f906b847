import Base
import Operations
import PowerAuth
import TestSupport
import Testing

/// `PhoneFixture` with an application that takes protocol 4.
extension PhoneFixture {
    /// Its configuration afterwards.
    @discardableResult
    func take(
        _ protocols: [String] = ["3.3", "4.0"], _ algorithms: [SharedSecretAlgorithm]? = nil
    ) async throws -> String {
        let choice = try ProtocolChoice(protocols: protocols, algorithms: algorithms?.map(\.rawValue))
        return try #require(try await service.choose(choice, of: "bank-app", by: PhoneFixture.bank).sdkConfig)
    }

    func fourPhone(_ algorithm: SharedSecretAlgorithm = .p384) async throws -> PowerAuthFourPhone {
        let config = try #require(
            try await service.application("bank-app", for: PhoneFixture.bank).sdkConfig)
        return try PowerAuthFourPhone(sdkConfig: config, algorithm: algorithm, clock: time.clock, post: post)
    }

    /// A phone of protocol 4 in use. The application takes it already.
    func fourActivated(
        _ algorithm: SharedSecretAlgorithm = .p384, user: String = "ada", biometry: Bool = false
    ) async throws -> PowerAuthFourPhone {
        var phone = try await fourPhone(algorithm)
        try await phone.activate(try await start(user, phase: .onKeyExchange).code.text)
        let confirmed = try await phone.confirm(biometry: biometry)
        try #require(confirmed.isOK)
        return phone
    }

    func registration(_ phone: PowerAuthFourPhone) async throws -> PhoneRegistration {
        try await service.registration(phone.activationID, for: PhoneFixture.bank)
    }

    func refusedSteps(_ phone: PowerAuthFourPhone) async throws -> [String] {
        try await refusedSteps(ofRegistration: phone.activationID)
    }
}
