import Foundation

/// What a service answered to something that was posted to it.
public struct CallAnswer: Sendable, Equatable {
    public let status: Int
    /// Seconds (RFC 9110, 10.2.3).
    public let retryAfter: TimeInterval?

    public init(status: Int, retryAfter: TimeInterval?) { (self.status, self.retryAfter) = (status, retryAfter) }

    enum Verdict: Sendable, Equatable {
        case done
        /// Another try may come to something else.
        case later
        /// The same request will be refused again, until somebody mends something.
        case refused
    }

    /// What a server cannot do now (RFC 9110, 15.5.9, 15.6; RFC 8470, 5.2; RFC 6585, 4) is tried again; 501 and 505 say
    /// that it never can.
    var verdict: Verdict {
        switch status {
        case 200..<300: .done
        case 408, 425, 429: .later
        case 501, 505: .refused
        case 500...: .later
        default: .refused
        }
    }
}
