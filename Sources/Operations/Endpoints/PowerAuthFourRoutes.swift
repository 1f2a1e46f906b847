import HTTP

/// What a phone of protocol 4 asks under `/pa/v4`, as its SDK calls it (docs/operations.md, "PowerAuth 4"). Under
/// `/api` phones of both protocols ask alike.
enum PowerAuthFourRoutes {
    static func endpoints(_ service: PowerAuthService, path: String) -> [Endpoint] {
        PowerAuthFourEndpoint.allCases.map { endpoint in
            Endpoint(.post, path + endpoint.rawValue, "operations: \(what(endpoint))") { request, context in
                let asked = try await OperationsPhoneRoutes.powerAuthRequest(request, origin: context.peer)
                return OperationsPhoneRoutes.answer(try await service.answer(endpoint, asked))
            }.telling(endpoint == .temporaryKey ? .temporaryKeys : .powerAuth)
        }
    }

    private static func what(_ endpoint: PowerAuthFourEndpoint) -> String {
        switch endpoint {
        case .status: "the server's time"
        case .temporaryKey: "a temporary key for encryption, in protocol 4"
        case .activationCreate: "a phone activates itself by a code, in protocol 4"
        case .activationConfirm: "a phone confirms its activation"
        case .activationStatus: "how an activation of protocol 4 stands, encrypted"
        case .activationRemove: "a phone removes its activation"
        case .tokenCreate: "a token to read with"
        case .tokenRemove: "removes a token"
        case .vaultUnlock: "a key of the phone's vault"
        case .authenticationValidate: "whether an authentication code is right"
        case .passwordChange: "a key for a changed PIN"
        case .biometryAdd: "a key for biometry"
        case .biometryRemove: "takes biometry away"
        case .userInfo: "whose phone it is, encrypted"
        case .upgradeStart: "begins an upgrade from protocol 3"
        case .upgradeConfirm: "confirms an upgrade from protocol 3"
        }
    }
}
