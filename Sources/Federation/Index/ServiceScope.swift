/// Scopes of what a service of the federation does as itself at the IdP. Each service's client may ask for them, though
/// they are not registered for it; nobody else's may.
public enum ServiceScope: String, Sendable, CaseIterable {
    case events
    case readStreams = "ssf.read"
    case manageStreams = "ssf.manage"

    public static let all = Set(allCases.map(\.rawValue))
}
