import Glibc
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import NIOSSL

/// What the network's errors mean in the words of the contract.
enum FetchTrouble {
    static func failure(_ error: any Error) -> CrawlFailure {
        switch error {
        case let failure as CrawlFailure: failure
        case let error as NotConnected: self.failure(error.cause)
        case let error as IOError: CrawlFailure(.unreachable, words(of: error))
        case ChannelError.connectTimeout: CrawlFailure(.timeout, "no connection in time")
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError: CrawlFailure(.tls, "TLS: \(error)")
        case is SentBytes.TooMany: CrawlFailure(.tooLarge, "more bytes sent than a body may have")
        case HTTPParserError.headerOverflow: CrawlFailure(.tooLarge, "headers too large")
        case NIOHTTPDecompression.DecompressionError.limit:
            CrawlFailure(.tooLarge, "a body that grows beyond the limit when decoded")
        case is NIOHTTPDecompression.DecompressionError, is NIOHTTPDecompression.ExtraDecompressionError:
            CrawlFailure(.malformed, "a body that cannot be decoded: \(error)")
        default: CrawlFailure(.unreachable, "\(error)")
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
}
