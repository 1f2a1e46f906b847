/// How this server does operations.
public struct OperationsSettings: Sendable {
    /// `ISS/services/operations`: what is the base URL of the SDKs.
    public let base: String
    /// Callbacks may go to `http` on this very host: where the issuer itself is such.
    public let allowsLoopbackCallbacks: Bool
    /// A way to the phones is configured, and `PhonePushSender` runs somewhere.
    public let sendsPushes: Bool

    public init(base: String, allowsLoopbackCallbacks: Bool = false, sendsPushes: Bool = false) {
        (self.base, self.allowsLoopbackCallbacks, self.sendsPushes) = (base, allowsLoopbackCallbacks, sendsPushes)
    }
}
