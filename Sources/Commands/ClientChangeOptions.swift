import Administration
import ArgumentParser
import Base
import Foundation
import Registration
import Vocabulary

/// What a client is registered with, said anew for `clients update`: what is not named stays, lists take the place of
/// those that were there, and an empty text is none.
struct ClientChangeOptions: ParsableArguments {
    @Option(help: "Its name for people.") var name: String?
    @Option(help: "In place of those that it has; may be repeated.") var redirectURI: [String] = []
    @Option(help: "Where a browser may go after logout, in place of those; may be repeated.")
    var postLogoutRedirectURI: [String] = []
    @Option(help: "A grant type, in place of those that it has; may be repeated.") var grant: [String] = []
    @Option(help: "A scope, in place of those that it has; may be repeated.") var scope: [String] = []
    @OptionGroup var keys: KeyChangeOptions
    @Option(help: "For tls_client_auth: dns:NAME, uri:URI, ip:ADDRESS, email:MAIL or subject:DN.")
    var certificateName: String?
    @Option(help: "pairwise or public, while nobody has logged in to it.") var subjectType: String?
    @Option(help: "URL that is told when a person logs out; empty: none.") var backchannelLogoutURI: String?
    @Flag(name: .customLong("require-par"), inversion: .prefixedNo, help: "Take its requests pushed only (RFC 9126).")
    var requiresPushedRequests: Bool?
    @Flag(name: .customLong("dpop-bound"), inversion: .prefixedNo, help: "Tokens bound to a key only (RFC 9449).")
    var isDPoPBound: Bool?
    @Flag(
        name: .customLong("certificate-bound"), inversion: .prefixedNo,
        help: "Tokens bound to its TLS certificate only (RFC 8705).")
    var isCertificateBound: Bool?
    @Option(help: "Seconds that its access tokens live, 60 to 86400; 0: as lifetime-access-token says.")
    var accessTokenLifetime: Int?
    @Option(help: "Seconds without use after which its refresh tokens end, from 3600; 0: as lifetime-web-idle says.")
    var refreshLifetime: Int?

    var isEmpty: Bool {
        name == nil && redirectURI.isEmpty && postLogoutRedirectURI.isEmpty && grant.isEmpty && scope.isEmpty
            && keys.isEmpty && certificateName == nil && subjectType == nil && backchannelLogoutURI == nil
            && requiresPushedRequests == nil && isDPoPBound == nil && isCertificateBound == nil
            && accessTokenLifetime == nil && refreshLifetime == nil
    }

    func apply(to draft: inout WebClientDraft) throws {
        if let name {
            guard !name.isEmpty else { throw AdminFailure(.invalid, "--name is empty") }
            draft.name = name
        }
        if !redirectURI.isEmpty { draft.redirectURIs = redirectURI.filter { !$0.isEmpty } }
        if !grant.isEmpty { draft.grantTypes = grant.filter { !$0.isEmpty } }
        if !scope.isEmpty { draft.scope = scope.filter { !$0.isEmpty }.joined(separator: " ") }
        try keys.apply(to: &draft, methods: WebClient.AuthMethod.allCases)
        if !postLogoutRedirectURI.isEmpty {
            draft.metadata.postLogoutRedirectURIs = postLogoutRedirectURI.filter { !$0.isEmpty }
        }
        if let certificateName {
            draft.metadata.certificateName =
                certificateName.isEmpty ? nil : try ClientChangeOptions.certificateName(certificateName)
        } else if draft.authMethod != .tls {
            draft.metadata.certificateName = nil
        }
        if let subjectType {
            guard let type = ClientMetadata.SubjectType(rawValue: subjectType) else {
                throw AdminFailure(.usage, "--subject-type takes pairwise or public")
            }
            draft.metadata.subjectType = type
        }
        if let backchannelLogoutURI {
            draft.metadata.backchannelLogoutURI = backchannelLogoutURI.isEmpty ? nil : backchannelLogoutURI
        }
        if let requiresPushedRequests { draft.metadata.wantsPushedRequest = requiresPushedRequests }
        if let isDPoPBound { draft.metadata.isDPoPBound = isDPoPBound }
        if let isCertificateBound { draft.metadata.isCertificateBound = isCertificateBound }
    }

    /// `longest` is of access tokens (`Settings.longestAccessToken`).
    func lifetimes(of client: WebClient, longest: Int) throws -> ClientLifetimes {
        var lifetimes = client.lifetimes
        if let accessTokenLifetime {
            lifetimes.accessToken = try LifetimeOption.seconds(
                accessTokenLifetime, ClientLifetimes.accessTokens.lowerBound...longest, "--access-token-lifetime")
        }
        if let refreshLifetime {
            lifetimes.refresh = try LifetimeOption.seconds(
                refreshLifetime, ClientLifetimes.refreshTokens, "--refresh-lifetime")
        }
        return lifetimes
    }

    static func certificateName(_ text: String) throws -> ClientMetadata.CertificateName {
        let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
        let members = [
            "dns": "san_dns", "uri": "san_uri", "ip": "san_ip", "email": "san_email", "subject": "subject_dn",
        ]
        guard parts.count == 2, let member = members[parts[0]],
            let name = ClientMetadata.CertificateName(["tls_client_auth_\(member)": .string(parts[1])])
        else {
            throw AdminFailure(
                .usage, "--certificate-name takes dns:, uri:, ip:, email: or subject: and the name")
        }
        return name
    }
}

/// How a client or service authenticates, said anew.
struct KeyChangeOptions: ParsableArguments {
    @Option(help: "\(WebClient.AuthMethod.allCases.map(\.rawValue).joined(separator: ", ")).") var authMethod: String?
    @Option(help: "File with its JWK set, in place of its keys; - is stdin.", completion: .file()) var jwks: String?
    @Option(help: "URL of its JWK set, in place of its keys.") var jwksURI: String?
    @Option(
        help: ArgumentHelp(
            "Take keys and certificates of now beside the new ones for this long, e.g. 24h or 7d; 30d at most.",
            valueName: "duration"))
    var keepOld: String?

    var isEmpty: Bool { authMethod == nil && !replacesKeys }
    var replacesKeys: Bool { jwks != nil || jwksURI != nil }

    func validate() throws {
        guard jwks == nil || jwksURI == nil else { throw ValidationError("--jwks or --jwks-uri, not both") }
        guard let keepOld else { return }
        guard replacesKeys else { throw ValidationError("--keep-old goes with --jwks or --jwks-uri") }
        guard RotateSecretOptions.seconds(keepOld) != nil else {
            throw ValidationError("--keep-old takes a number and s, m, h or d, e.g. 24h, up to 30d; not \(keepOld)")
        }
    }

    func apply(to draft: inout WebClientDraft, methods: [WebClient.AuthMethod]) throws {
        if let authMethod {
            guard let method = WebClient.AuthMethod(rawValue: authMethod), methods.contains(method) else {
                throw AdminFailure(
                    .usage, "--auth-method takes \(methods.map(\.rawValue).joined(separator: ", "))")
            }
            draft.authMethod = method
        }
        if let jwks {
            guard let value = try? JSONReader.read(try AdminInput.text(jwks).utf8) else {
                throw AdminFailure(.invalid, "--jwks is not JSON")
            }
            (draft.jwks, draft.jwksURI) = (value, nil)
        }
        if let jwksURI { (draft.jwks, draft.jwksURI) = (nil, jwksURI.isEmpty ? nil : jwksURI) }
    }

    /// After they were replaced. Refused where the keys of before are not here to be kept.
    func keepingOld(of earlier: WebClient, _ changed: WebClient, _ session: AdminSession) async throws -> WebClient {
        guard replacesKeys else { return changed }
        let seconds = keepOld.flatMap { RotateSecretOptions.seconds($0) }
        guard seconds == nil || earlier.jwks != nil else {
            throw AdminFailure(
                .conflict, "--keep-old: no keys are registered here that could be kept",
                hint: "keys behind a jwks_uri are kept by whoever publishes them")
        }
        return try await session.clients.keep(
            keysOf: earlier, until: seconds.map { session.now + $0 }, in: session.executor)
    }
}

enum LifetimeOption {
    /// `nil` for 0, the server's own.
    static func seconds(_ number: Int, _ range: ClosedRange<Int>, _ option: String) throws -> Int? {
        if number == 0 { return nil }
        guard range.contains(number) else {
            throw AdminFailure(
                .invalid,
                "\(option) takes \(range.lowerBound) to \(range.upperBound) seconds, or 0 for the server's own")
        }
        return number
    }
}
