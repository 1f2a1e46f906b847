/// Shared information 1 of protocol 4: what an envelope is for (protocols/powerauth4.md).
public enum EnvelopeLabel: String, Sendable, CaseIterable {
    case genericApplication = "/pa/generic/application"
    case genericActivation = "/pa/generic/activation"
    case activation = "/pa/activation"
    case activationStatus = "/pa/activation/status"
    case tokenCreate = "/pa/token/create"
    case vaultUnlock = "/pa/vault/unlock"
    case passwordChange = "/pa/password/change"
    case biometryAdd = "/pa/biometry/add"
    case upgradeStart = "/pa/upgrade/start"
}
