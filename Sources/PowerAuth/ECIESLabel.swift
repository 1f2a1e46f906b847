/// Shared information 1: what an envelope is for (protocols/operations.md, 4.5).
public enum ECIESLabel: String, Sendable, CaseIterable {
    case genericApplication = "/pa/generic/application"
    case activation = "/pa/activation"
    case genericActivation = "/pa/generic/activation"
    case vaultUnlock = "/pa/vault/unlock"
    case tokenCreate = "/pa/token/create"
}
