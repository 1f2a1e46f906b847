import AsyncHTTPClient
import Foundation
import NIOCore

/// What the network's errors mean in the words of the contract.
enum FetchTrouble {
    static func failure(_ error: any Error) -> CrawlFailure {
        switch error {
        case let failure as CrawlFailure: failure
        case is SentBytes.TooMany: CrawlFailure(.tooLarge, "more bytes sent than a body may have")
        case let error as HTTPClientError: client(error)
        case let error as IOError: CrawlFailure(.unreachable, words(of: error))
        case ChannelError.connectTimeout: CrawlFailure(.timeout, "no connection in time")
        default: named(error)
        }
    }

    /// Nothing was asked yet, so another address of the name may be tried.
    static func isBeforeRequest(_ error: any Error) -> Bool {
        String(reflecting: type(of: error)).hasSuffix("NIOConnectionError") || error is IOError
    }

    private static func client(_ error: HTTPClientError) -> CrawlFailure {
        switch error {
        case .connectTimeout, .readTimeout, .deadlineExceeded, .getConnectionFromPoolTimeout:
            CrawlFailure(.timeout, "no connection or answer in time")
        case .tlsHandshakeTimeout: CrawlFailure(.timeout, "TLS handshake not done in time")
        case .remoteConnectionClosed: CrawlFailure(.unreachable, "connection closed before the answer was whole")
        default: CrawlFailure(.unreachable, error.shortDescription)
        }
    }

    private static func words(of error: IOError) -> String {
        switch error.errnoCode {
        case ECONNREFUSED: "connection refused: nobody listens there"
        case ECONNRESET, EPIPE: "connection reset before the answer was whole"
        case EHOSTUNREACH, ENETUNREACH: "no way to this address"
        default: "\(error)"
        }
    }

    /// Errors whose modules are not ours to import are known by their type's name.
    private static func named(_ error: any Error) -> CrawlFailure {
        let type = String(reflecting: type(of: error))
        if type.contains("SSL") { return CrawlFailure(.tls, "TLS: \(error)") }
        if type.contains("Decompression") {
            return "\(error)".contains("limit")
                ? CrawlFailure(.tooLarge, "a body that grows beyond the limit when decoded")
                : CrawlFailure(.malformed, "a body that cannot be decoded: \(error)")
        }
        if "\(error)".contains("headerOverflow") { return CrawlFailure(.tooLarge, "headers too large") }
        return CrawlFailure(.unreachable, "\(error)")
    }
}
