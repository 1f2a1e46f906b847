import Foundation
import NIOSSL

/// The numbers of the fetch policy (design/crawler.md), together so that tests can shrink them.
struct FetchPolicy: Sendable {
    var addresses: AddressPolicy
    var userAgent: String
    var connectTime = Duration.seconds(3)
    var answerTime = Duration.seconds(10)
    var searchTime = Duration.seconds(30)
    /// For all waiting at gates; with `searchTime` it is less than a lease.
    var gateTime = Duration.seconds(60)
    var requests = 20
    var redirects = 5
    var headerBytes = 32 << 10
    var bodyBytes = 1 << 20
    /// Addresses of one name tried for a connection.
    var addressesTried = 3
    /// `nil` is ``WebTLS``.
    var tls: NIOSSLContext?
}
