/// How much is allowed, and how much of it is left (draft-ietf-httpapi-ratelimit-headers-10, 2 and 3: the quota
/// policy, and the service limit that goes with it).
public struct ServiceLimit: Sendable, Equatable {
    public struct Policy: Sendable, Equatable {
        /// Letters and hyphens of ours: it goes into a quoted string.
        public let name: String
        /// Requests, or what else the limit counts.
        public let quota: Int
        /// Seconds in which the whole quota comes back.
        public let window: Int

        public init(_ name: String, burst: Double, rate: Double) {
            (self.name, quota) = (name, Int(burst))
            window = max(1, Int((burst / max(rate, 0.001)).rounded(.up)))
        }
    }

    public let policy: Policy
    public let remaining: Int
    /// Seconds until there is more.
    public let reset: Int

    public init(_ policy: Policy, remaining: Int, reset: Int) {
        (self.policy, self.remaining, self.reset) = (policy, remaining, reset)
    }

    /// The value of `RateLimit-Policy`.
    public var policyText: String { "\"\(policy.name)\";q=\(policy.quota);w=\(policy.window)" }

    /// The value of `RateLimit`.
    public var text: String { "\"\(policy.name)\";r=\(remaining);t=\(reset)" }
}
