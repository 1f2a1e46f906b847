import Database
import Foundation

/// A phone of a person of the IdP that is being set up, as a page shows it at one moment.
public struct ApprovalPhoneSetup: Sendable {
    public enum Stage: Sendable, Equatable {
        /// The activation code is to be scanned.
        case scan
        /// Phone and page show these eight digits; the person says whether they are the same.
        case compare(fingerprint: String)
        /// It is in use.
        case done
        case expired, cancelled
    }

    let registration: PhoneRegistration
    public let stage: Stage

    init(_ registration: PhoneRegistration, at now: Date) {
        self.registration = registration
        stage =
            switch registration.state {
            case .created: .scan
            case .pendingCommit: registration.fingerprint.map { Stage.compare(fingerprint: $0) } ?? .cancelled
            case .active, .blocked: .done
            case .removed: registration.expiresAt <= now ? .expired : .cancelled
            }
    }
}

extension ApprovalPhoneSetup: WaitedFor {
    public var etag: String { registration.state.rawValue }
    public var changesAt: Date? { isFinal ? nil : registration.expiresAt }

    public var isFinal: Bool {
        switch stage {
        case .scan, .compare: false
        case .done, .expired, .cancelled: true
        }
    }
}
