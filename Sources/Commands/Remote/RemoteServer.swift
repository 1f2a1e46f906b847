import Administration
import Base
import Foundation
import PandoClient
import Server

/// A server whose administration API is asked, in the name of whoever logged in here.
struct RemoteServer: Sendable {
    static let scope = "openid offline_access admin admin.read"

    let issuer: String
    let files: LoginFiles
    let transport: Transport

    /// Throws `AdminFailure` for what is no address, and for one without TLS that is not this machine: a login would be
    /// anybody's on the way.
    init(_ address: String, files: LoginFiles, transport: Transport) throws {
        guard let url = WebAddress(address) else {
            throw AdminFailure(.usage, "--server takes the URL of a server, not \(address)")
        }
        guard url.isLoopback || address.lowercased().hasPrefix("https:") else {
            throw AdminFailure(.usage, "\(address) is not https, so others could read along")
        }
        issuer = address.hasSuffix("/") ? String(address.dropLast()) : address
        (self.files, self.transport) = (files, transport)
    }

    var api: String { issuer + "/admin/api/v1" }

    // MARK: Logging in and out

    /// Until the person has decided, on whatever device. `maxAge`: how old their login may be.
    func logIn(maxAge: Int? = nil, show: (DeviceLogin) -> Void) async throws {
        let (key, raw) = SigningKey.made()
        let client = try await client(key)
        let begun = try await client.beginDeviceLogin(scope: RemoteServer.scope, resource: api, maxAge: maxAge)
        show(begun)
        let tokens = try await client.finish(begun)
        let login = StoredLogin(
            issuer: issuer, clientID: CommandLineClient.id, key: Data(raw), tokens: tokens)
        try await files.holding(issuer) { try files.keep(login) }
    }

    /// `false` where nobody was logged in.
    func logOut() async throws -> Bool {
        try await files.holding(issuer) {
            guard let login = try files.login(at: issuer) else { return false }
            do {
                try await client(SigningKey(raw: [UInt8](login.key))).revoke(login.tokens)
            } catch let refusal as PandoClient.OAuthError where refusal.status < 500 {
                // It has ended already.
            }
            files.forget(issuer)
            return true
        }
    }

    private func client(_ key: SigningKey) async throws -> WebClient {
        let server = try await AuthorizationServer.discover(issuer, transport: transport)
        return WebClient(CommandLineClient.id, of: server, authentication: .none, key: key)
    }

    // MARK: Asking

    /// With the access token of whoever is logged in, refreshed where it ends.
    func send(_ request: Transport.Request) async throws -> Transport.Response {
        let login = try await files.holding(issuer) { try await fresh() }
        let holder = KeyHolder(key: try SigningKey(raw: [UInt8](login.key)), transport: transport)
        return try await holder.send(request, showing: login.tokens.accessToken)
    }

    private func fresh() async throws -> StoredLogin {
        guard var login = try files.login(at: issuer) else { throw loggedOut("nobody is logged in at \(issuer) here") }
        guard login.tokens.expires <= Date().addingTimeInterval(30) else { return login }
        do {
            login.tokens = try await client(SigningKey(raw: [UInt8](login.key))).refresh(login.tokens)
        } catch let refusal as PandoClient.OAuthError where refusal.code == .invalidGrant {
            throw loggedOut("the login at \(issuer) has ended")
        }
        try files.keep(login)
        return login
    }

    func loggedOut(_ description: String) -> AdminFailure {
        AdminFailure(.forbidden, description, hint: "pando login --server \(issuer)")
    }
}

extension RemoteServer {
    /// Errors of `body` in the words of the command line.
    static func reporting<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async throws -> Result {
        do { return try await body() } catch let failure as AdminFailure {
            throw failure
        } catch let refusal as PandoClient.OAuthError {
            throw AdminFailure(refusal.status >= 500 ? .unavailable : .failed, "the server answered: \(refusal)")
        } catch let other as AnotherIssuer {
            throw AdminFailure(.usage, "\(other)", hint: "--server \(other.says)")
        } catch let error as UnexpectedAnswer {
            throw AdminFailure(.failed, "that is no Pando, or none that can be administered from afar: \(error)")
        } catch let error as CancellationError {
            throw error
        } catch {
            throw AdminFailure(.unavailable, "the server cannot be reached: \(error)")
        }
    }
}
