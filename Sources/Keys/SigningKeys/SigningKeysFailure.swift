import Foundation

extension SigningKeys {
    /// What an operator must put right. The descriptions say how.
    public enum Failure: Error, Sendable, Equatable, CustomStringConvertible {
        case wrongMasterKey(kid: String, sealedBy: String, ours: String)
        case damaged(kid: String)
        case noActiveKey(SigningAlgorithm)
        /// `kid` is `nil` when there is no next key at all.
        case notAnnounced(kid: String?, until: Date)
        case unknownKey(kid: String)

        public var description: String {
            switch self {
            case .wrongMasterKey(let kid, let sealedBy, let ours):
                """
                signing key \(kid) was sealed under master key \(sealedBy), but this process was given master key \
                \(ours). \
                Start it with the master key that it had before. If that one is lost, run `pando admin keys rotate \
                --now` \
                with the new master key: it makes new signing keys, and tokens that are out stay valid.
                """
            case .damaged(let kid):
                """
                the private half of signing key \(kid) does not open under the right master key: its row was changed \
                or copied. \
                Restore table signing_key, or run `pando admin keys rotate --now` twice, which replaces both keys.
                """
            case .noActiveKey(let algorithm):
                """
                there is no active signing key for \(algorithm.rawValue). A server that is configured with it makes \
                one when it starts; \
                or run `pando admin keys rotate --now`.
                """
            case .notAnnounced(nil, let until):
                """
                no next key has been announced yet. A running server announces one; rotate after \
                \(until.formatted(.iso8601)), or now with --now.
                """
            case .notAnnounced(let kid?, let until):
                """
                the next key, \(kid), has not been published long enough for every relying party to have read it. \
                Rotate after \(until.formatted(.iso8601)), or now with --now.
                """
            case .unknownKey(let kid): "there is no signing key \(kid); `pando admin keys list` shows them."
            }
        }
    }
}
