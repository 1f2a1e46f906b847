import NIOSSL
import Synchronization

/// TLS as web sites are asked: what this machine trusts vouches for the host's name. No session is remembered.
enum WebTLS {
    private struct Kept {
        let context: NIOSSLContext
        let until: ContinuousClock.Instant
    }

    /// Reading the machine's certificates takes milliseconds; what an operator puts there counts within the hour.
    private static let age = Duration.seconds(3_600)
    private static let kept = Mutex<Kept?>(nil)

    static var configuration: TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.applicationProtocols = ["http/1.1"]
        configuration.minimumTLSVersion = .tlsv12
        // The place of a request is another's as soon as it is answered, so who does not answer the end of TLS does not
        // hold its connection.
        configuration.shutdownTimeout = .milliseconds(200)
        return configuration
    }

    static func context() throws -> NIOSSLContext {
        try kept.withLock { kept in
            if let kept, kept.until > .now { return kept.context }
            let context = try NIOSSLContext(configuration: configuration)
            kept = Kept(context: context, until: .now + age)
            return context
        }
    }
}
