/// How this server does operations.
public struct OperationsSettings: Sendable {
    /// `ISS/services/operations`: what is the base URL of the SDKs.
    public let base: String
    /// Callbacks may go to `http` on this very host: where the issuer itself is such.
    public let allowsLoopbackCallbacks: Bool
    /// What pushes go out by, beside the credentials of apps.
    public let pushes: PhonePushWays

    public init(base: String, allowsLoopbackCallbacks: Bool = false, pushes: PhonePushWays = PhonePushWays()) {
        (self.base, self.allowsLoopbackCallbacks, self.pushes) = (base, allowsLoopbackCallbacks, pushes)
    }
}
