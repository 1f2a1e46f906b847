import Keys
import NIOCore

/// Stands for the TLS of `Sources/HTTP`, which is not here: no connection of the fuzzer has a certificate of its own.
public struct TransportSecurity: Sendable {
    func certificate(_ channel: any Channel) async throws -> ClientCertificate? { nil }
}
