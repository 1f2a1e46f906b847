import Base
import Foundation
import HTTP
import HTTPTypes
import Registration
import TestSupport
import Testing

@Suite("RFC 8705, 3: tokens bound to certificates")
struct CertificateBoundTests {
    private static func with(_ body: @Sendable (TestServer, BoundMachine) async throws -> Void) async throws {
        let trust = try ProxyTrust(ranges: ["127.0.0.0/8"].compactMap { CIDR($0) }, certificateHeader: "Client-Cert")
        try await TestServer.with(options: TestServerOptions(proxies: trust)) { server in
            try await body(server, BoundMachine.bound(in: server))
        }
    }

    private func shown(_ certificate: TestCertificate) throws -> HTTPFields {
        [try #require(HTTPField.Name("Client-Cert")): ":\(certificate.base64):"]
    }

    /// The machine looks at its own token, with that token.
    private func look(_ server: TestServer, _ token: String, _ headers: HTTPFields = [:]) async throws -> Reply {
        var headers = headers
        if headers[.authorization] == nil { headers[.authorization] = "Bearer \(token)" }
        return try await server.post("/introspect", ["token": token], headers: headers)
    }

    @Test("such a token says so, is a bearer token by name, and opens with its certificate only")
    func bound() async throws {
        try await Self.with { server, machine in
            let own = try TestCertificate.selfSigned("machine"), other = try TestCertificate.selfSigned("machine")
            let reply = try await machine.ask(server, headers: shown(own)), token = reply.accessToken

            #expect(reply.outcome == "200" && reply["token_type"] == "Bearer")
            #expect(claims(of: token)["cnf"] == ["x5t#S256": .string(own.thumbprint)])
            let seen = try await look(server, token, shown(own))
            #expect(
                seen.json["active"] == true && seen.json["cnf"] == ["x5t#S256": .string(own.thumbprint)]
                    && seen["token_type"] == "Bearer")
            for wrong in [try shown(other), [:]] {
                let refused = try await look(server, token, wrong)
                #expect(
                    refused.outcome == "401 invalid_token"
                        && refused["error_description"]?.contains("client certificate") == true)
                #expect(
                    refused.headers[values: .wwwAuthenticate].contains {
                        $0.hasPrefix("Bearer ") && $0.contains("error=\"invalid_token\"")
                    })
            }
        }
    }

    @Test("without a certificate such a client gets no token")
    func unbound() async throws {
        try await Self.with { server, machine in
            let reply = try await machine.ask(server)

            #expect(
                reply.outcome == "400 invalid_request" && reply["error_description"]?.contains("certificate") == true)
        }
    }

    @Test("a client that did not ask for it gets a token that any connection shows")
    func notAsked() async throws {
        try await Self.with { server, machine in
            try await server.database.execute("update client set metadata = '{}' where id = \(machine.id)")
            let certificate = try shown(TestCertificate.selfSigned("machine"))
            let token = try await machine.ask(server, headers: certificate).accessToken

            #expect(claims(of: token)["cnf"] == nil)
            #expect(try await look(server, token).json["active"] == true)
            #expect(try await look(server, token, certificate).json["active"] == true)
        }
    }

    @Test("bound to a key too, it needs both")
    func both() async throws {
        try await Self.with { server, machine in
            let phone = try await Phone.registered(in: server), own = try TestCertificate.selfSigned("machine")
            func headers(_ path: String, _ token: String?, _ certificate: TestCertificate?) throws -> HTTPFields {
                var headers = try phone.dpop(.post, path, token: token)
                if let certificate { headers.append(contentsOf: try shown(certificate)) }
                return headers
            }
            let token = try await machine.ask(server, headers: headers("/token", nil, own)).accessToken
            let confirmation = claims(of: token)["cnf"]

            #expect(
                confirmation?["jkt"] == .string(phone.key.thumbprint)
                    && confirmation?["x5t#S256"] == .string(own.thumbprint))
            #expect(try await look(server, token, headers("/introspect", token, own)).json["active"] == true)
            #expect(try await look(server, token, headers("/introspect", token, nil)).outcome == "401 invalid_token")
            #expect(
                try await look(server, token, headers("/introspect", token, TestCertificate.selfSigned("machine")))
                    .outcome == "401 invalid_token")
            #expect(
                try await look(server, token, shown(own)).outcome == "401 invalid_token",
                "the certificate without the proof")
        }
    }

    @Test(
        """
        a person's code gives a token for the certificate that redeems it, and none without one; the refresh token \
        goes with it
        """,
        arguments: [WebClient.AuthMethod.basic, .none])
    func code(method: WebClient.AuthMethod) async throws {
        try await Self.with { server, _ in
            let app = try await server.webApp(method: method) { $0.isCertificateBound = true }
            let own = try TestCertificate.selfSigned("app"), other = try TestCertificate.selfSigned("app")
            func code() async throws -> String? {
                let browser = Browser(server)
                return try await browser.signIn(AuthorizationDraft(app.id, scope: "openid offline_access"), as: "ada")
                    .answer["code"]
            }
            let bare = try await app.redeem(try await code())
            #expect(bare.outcome == "400 invalid_request" && bare["error_description"]?.contains("certificate") == true)

            let reply = try await app.redeem(try await code(), headers: shown(own)),
                refresh = try #require(reply["refresh_token"], "\(reply.body)")
            #expect(claims(of: reply.accessToken)["cnf"]?["x5t#S256"] == .string(own.thumbprint))
            for wrong in [try shown(other), [:]] {
                let refused = try await app.refresh(refresh, headers: wrong)
                #expect(refused.status == 400, "\(refused.body)")
            }
            let renewed = try await app.refresh(refresh, headers: shown(own))
            #expect(
                renewed.outcome == "200"
                    && claims(of: renewed.accessToken)["cnf"]?["x5t#S256"] == .string(own.thumbprint))
        }
    }

    @Test(
        """
        token exchange wants the certificate of the subject token, whichever kind it is, and of a client that \
        registered the binding
        """
    )
    func exchange() async throws {
        try await Self.with { server, _ in
            let grant = "urn:ietf:params:oauth:grant-type:token-exchange", type = "urn:ietf:params:oauth:token-type:"
            let app = try await server.webApp(grants: ["authorization_code", "refresh_token", grant]) {
                $0.isCertificateBound = true
            }
            let own = try TestCertificate.selfSigned("app"), other = try TestCertificate.selfSigned("app"),
                phone = try await Phone.registered(in: server)
            let code = try await Browser(server).signIn(AuthorizationDraft(app.id, scope: "openid offline_access"))
                .answer["code"]
            let tokens = try await app.redeem(code, headers: shown(own))
            func ask(_ name: String, _ kind: String, _ certificate: TestCertificate?) async throws -> Reply {
                var headers = try phone.dpop(.post, "/token")
                headers[.authorization] = app.basic[.authorization]
                if let certificate { headers.append(contentsOf: try shown(certificate)) }
                return try await server.post(
                    "/token",
                    [
                        "grant_type": grant, "subject_token": tokens[name], "subject_token_type": type + kind,
                        "resource": ServerParts.base,
                    ], headers: headers)
            }

            for (name, kind) in [
                ("access_token", "access_token"), ("id_token", "id_token"), ("refresh_token", "refresh_token"),
            ] {
                #expect(try await ask(name, kind, nil).outcome == "400 invalid_request", "\(name)")
                let stolen = try await ask(name, kind, other)
                #expect(
                    stolen.outcome == "400 invalid_grant"
                        && stolen["error_description"]?.contains("client certificate") == true, "\(stolen.body)")
                #expect(try await ask(name, kind, own).outcome == "200", "\(name)")
            }
            // The binding is the token's, whatever its client registers later.
            _ = try await server.database.execute(
                """
                update client set metadata = metadata - 'tls_client_certificate_bound_access_tokens'
                    where id = \(app.id)
                """
            )
            #expect(try await ask("access_token", "access_token", nil).outcome == "400 invalid_grant")
        }
    }

    @Test("metadata names what certificates can do where they can arrive, and nothing of it elsewhere")
    func metadata() async throws {
        try await Self.with { server, _ in
            let document = try await server.get("/.well-known/oauth-authorization-server").json
            #expect(document["tls_client_certificate_bound_access_tokens"] == true)
            let methods = Set(document["token_endpoint_auth_methods_supported"]?.strings ?? [])
            #expect(methods.isSuperset(of: ["tls_client_auth", "self_signed_tls_client_auth"]))
        }
        try await TestServer.with { server in
            let document = try await server.get("/.well-known/oauth-authorization-server").json
            #expect(document["tls_client_certificate_bound_access_tokens"] != true)
            #expect(!document.text.contains("tls_client_auth"))
        }
    }
}
