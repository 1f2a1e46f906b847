import Keys
import NIOCore

/// In place of the one beside `TransportSecurity`: no connection here has TLS.
enum ConnectionCertificate {
    static func read(_ channel: any Channel) async throws -> ClientCertificate? { nil }
}
