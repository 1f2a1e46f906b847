import Base
import Database
import Foundation
import HTTPTypes

/// A machine of the server as RFC 8705 has it: bound to certificates, authenticated by one, or both.
public struct BoundMachine: Sendable {
    public let id: String
    let secret: String?

    /// `client_secret_basic`, its tokens bound to whichever certificate it shows.
    public static func bound(in server: TestServer) async throws -> BoundMachine {
        try await server.database.execute(
            """
            update client set metadata = jsonb_build_object('tls_client_certificate_bound_access_tokens', true)
                where id = \(server.residents.machine.id)
            """)
        return BoundMachine(id: server.residents.machine.id, secret: server.residents.machine.secret)
    }

    /// `tls_client_auth` with a registered subject.
    public static func named(_ subject: String, in server: TestServer) async throws -> BoundMachine {
        try await server.database.execute(
            """
            update client set auth_method = 'tls_client_auth', secret = null,
                metadata = jsonb_build_object('tls_client_auth_subject_dn', \(subject)::text)
            where id = \(server.residents.machine.id)
            """)
        return BoundMachine(id: server.residents.machine.id, secret: nil)
    }

    /// `self_signed_tls_client_auth` with the key of a certificate.
    public static func selfSigned(_ certificate: TestCertificate, in server: TestServer) async throws -> BoundMachine {
        let jwks = JSONValue.object(["keys": [certificate.jwk]])
        try await server.database.execute(
            """
            update client set auth_method = 'self_signed_tls_client_auth', secret = null, jwks = \(jwks)
                where id = \(server.residents.machine.id)
            """
        )
        return BoundMachine(id: server.residents.machine.id, secret: nil)
    }

    public func ask(_ server: TestServer, headers: HTTPFields = [:]) async throws -> Reply {
        var headers = headers
        if let secret { headers[.authorization] = "Basic \(Data("\(id):\(secret)".utf8).base64EncodedString())" }
        return try await server.post(
            "/token", ["grant_type": "client_credentials", "client_id": secret == nil ? id : nil], headers: headers)
    }
}
