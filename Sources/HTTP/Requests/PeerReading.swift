import Base
import HTTPTypes
import Hummingbird
import Keys
import Vocabulary

/// Who is at the other end: the certificate of the sender, from the connection, or from a proxy that is trusted. Its
/// address is known before (`RequestRecord`), since refusals tell it.
struct PeerReading: RouterMiddleware {
    let proxies: ProxyTrust
    /// `nil` where connections have no certificates of their own.
    let security: TransportSecurity?

    func handle(
        _ request: Request, context: RoutedContext, next: (Request, RoutedContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        if let name = proxies.certificateHeader, context.isForwarded {
            // The connection's own certificate would be the proxy's.
            context.certificate = try certificate(request.headers, name)
        } else {
            try refuseForged(request.headers)
            context.certificate = try await security?.certificate(context.channel)
        }
        return try await next(request, context)
    }

    private func certificate(_ headers: HTTPFields, _ name: HTTPField.Name) throws -> ClientCertificate? {
        let values = headers[values: name]
        // Two are one of the proxy and one of somebody who hopes to be read first.
        guard values.count <= 1 else { throw OAuthError(.invalidRequest, "\(name) comes twice") }
        guard let value = values.first, !value.isEmpty else { return nil }
        let verified = proxies.verifyHeader.map { headers[values: $0] } == ["SUCCESS"]
        guard let der = CertificateHeader.der(value),
            let certificate = try? ClientCertificate(der: der, isTrusted: verified)
        else {
            throw OAuthError(
                .invalidRequest, "\(name) holds no certificate",
                cause: "the trusted proxy's certificate header cannot be read")
        }
        return certificate
    }

    /// Who is no proxy has no business with the proxy's header: dropping it silently would hide a proxy that is not
    /// configured, or an attack.
    private func refuseForged(_ headers: HTTPFields) throws {
        guard let name = proxies.certificateHeader, headers[name] != nil else { return }
        throw OAuthError(
            .invalidRequest, "\(name) is for the proxy in front of this server to write",
            cause: "\(name) came from a peer that is no trusted proxy")
    }
}
