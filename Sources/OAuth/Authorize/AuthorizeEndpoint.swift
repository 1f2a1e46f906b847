import Accounts
import Base
import Database
import Foundation
import Keys
import Registration
import TokenTree
import Vocabulary

/// `/authorize` (RFC 6749, 3.1): reads a request, looks at what is still missing — account, factor, consent — and sends
/// the browser there, or answers. Login methods and the consent page come back here; they never call one another.
public final class AuthorizeEndpoint: Sendable {
    public enum Step: Sendable {
        case login(reference: String, again: Bool)
        /// To a page that asks for a second factor, or enrols one: a path that takes `request=REFERENCE`.
        case factor(reference: String, page: String)
        case consent(reference: String)
        /// Back to the client, with a code or an error.
        case answer(url: String)
    }

    let database: Database
    let issuer: String
    let clients: WebClientStore
    let requests: AuthorizationRequestStore
    let objects: RequestObject
    let keys: SigningKeys
    let consents: ConsentStore
    let subjects: SubjectName
    let codes: IssueCode
    let factors: [SecondFactor]
    let clock: WallClock

    init(
        database: Database, issuer: String, clients: WebClientStore, requests: AuthorizationRequestStore,
        objects: RequestObject, keys: SigningKeys, consents: ConsentStore, subjects: SubjectName, codes: IssueCode,
        factors: [SecondFactor], clock: WallClock
    ) {
        (self.database, self.issuer, self.clients, self.requests) = (database, issuer, clients, requests)
        (self.objects, self.keys, self.consents, self.subjects) = (objects, keys, consents, subjects)
        (self.codes, self.factors, self.clock) = (codes, factors, clock)
    }

    /// Answers or asks for the next step. Throws `AuthorizationRefusal`.
    public func begin(_ parameters: OAuthParameters, _ context: BrowserSessionContext) async throws -> Step {
        let client = try await client(parameters)
        let asked = AskedRequest(parameters, client: client, issuer: issuer)
        if let reference = try asked.page({ try $0["request_uri"] }) {
            guard try asked.page({ try $0["request"] }) == nil else {
                throw asked.refused(OAuthError(.invalidRequest, "request and request_uri exclude one another"))
            }
            guard reference.hasPrefix(PushedRequests.prefix) else {
                throw asked.refused(OAuthError(.requestURINotSupported, "request_uri is taken from /par only"))
            }
            guard
                let pending = try await requests.take(
                    String(reference.dropFirst(PushedRequests.prefix.count)), client: client.id,
                    browser: context.browser)
            else {
                throw AuthorizationRefusal.page(
                    OAuthError(.invalidRequest, "request_uri is unknown, expired or was used before"))
            }
            return try await decide(
                try AuthorizationParameters(pending.parameters, client: client, issuer: issuer), pending, context)
        }
        guard !client.metadata.wantsPushedRequest else {
            throw asked.refused(OAuthError(.invalidRequest, "this client pushes its requests (RFC 9126)"))
        }
        let inner = try await unpacked(asked)
        let checked = try AuthorizationParameters(inner, client: client, issuer: issuer)
        return try await decide(checked, nil, context, raw: checked.narrowed(inner))
    }

    /// The browser comes back from a login or consent page.
    public func resume(_ reference: String, _ context: BrowserSessionContext) async throws -> Step {
        let (pending, checked) = try await pending(reference, context)
        return try await decide(checked, pending, context)
    }

    /// The request behind a page, checked anew: the client may have changed meanwhile.
    public func pending(
        _ reference: String, _ context: BrowserSessionContext
    ) async throws -> (pending: PendingReference, checked: AuthorizationParameters) {
        guard let pending = try await requests.find(reference, browser: context.browser),
            let client = try await clients.find(pending.client, in: database)
        else {
            throw AuthorizationRefusal.page(
                OAuthError(.invalidRequest, "this login has expired, was answered already, or began in another browser")
            )
        }
        return (
            PendingReference(pending), try AuthorizationParameters(pending.parameters, client: client, issuer: issuer)
        )
    }

    /// The services that a request is for, as the consent page names them.
    public func resources(_ checked: AuthorizationParameters) async throws -> RequestedResources {
        try await codes.resources(checked)
    }

    /// What the person decided on the consent page.
    public func consented(_ reference: String, allowed: Bool, _ context: BrowserSessionContext) async throws -> String {
        let (pending, checked) = try await pending(reference, context)
        guard allowed else {
            guard try await requests.answer(reference, in: database) else { throw AuthorizeEndpoint.answered }
            throw AuthorizationRefusal.redirect(OAuthError(.accessDenied, "the person did not agree"), checked.target)
        }
        guard let session = context.session, try await missing(checked, pending.row, context).isNothingButConsent else {
            throw AuthorizationRefusal.page(
                OAuthError(.invalidRequest, "the login ended meanwhile; begin again in the application"))
        }
        return try await codes.answer(checked, pending.row, session: session, consent: true)
    }

    private func decide(
        _ checked: AuthorizationParameters, _ pending: PendingReference, _ context: BrowserSessionContext
    ) async throws -> Step {
        try await decide(checked, pending.row, context)
    }

    private func decide(
        _ checked: AuthorizationParameters, _ pending: PendingRequest?, _ context: BrowserSessionContext,
        raw: OAuthParameters? = nil
    ) async throws -> Step {
        let missing = try await missing(checked, pending, context)
        if case .refused(let error) = missing { throw AuthorizationRefusal.redirect(error, checked.target) }
        if case .nothing = missing, let session = context.session {
            return .answer(url: try await codes.answer(checked, pending, session: session, consent: false))
        }
        if checked.prompts.contains(.none) {
            let error =
                missing.isNothingButConsent
                ? OAuthError(.consentRequired, "the person must agree first")
                : OAuthError(.loginRequired, "the person must log in first, or show a second factor")
            throw AuthorizationRefusal.redirect(error, checked.target)
        }
        let waiting =
            if let pending { pending } else {
                try await requests.open(
                    raw ?? OAuthParameters([:]), client: checked.client.id, browser: context.browser)
            }
        return switch missing {
        case .login(let again): .login(reference: waiting.reference, again: again)
        case .factor(let page): .factor(reference: waiting.reference, page: page)
        case .nothing, .consent, .refused: .consent(reference: waiting.reference)
        }
    }

    private func client(_ parameters: OAuthParameters) async throws -> WebClient {
        let id: String
        do { id = try parameters.required("client_id") } catch { throw AuthorizationRefusal.page(error) }
        guard let client = try await clients.find(id, in: database) else {
            throw AuthorizationRefusal.page(OAuthError(.invalidRequest, "client_id is unknown here"))
        }
        return client
    }

    /// The parameters themselves, or those of the signed request object (RFC 9101).
    private func unpacked(_ asked: AskedRequest) async throws -> OAuthParameters {
        guard let object = try asked.page({ try $0["request"] }) else {
            guard !asked.client.metadata.wantsSignedRequest else {
                throw asked.refused(OAuthError(.invalidRequest, "this client signs its requests (RFC 9101)"))
            }
            return asked.parameters
        }
        do {
            return try await objects.parameters(object, of: asked.client)
        } catch let error as OAuthError {
            throw asked.refused(error)
        }
    }

    static let answered = AuthorizationRefusal.page(
        OAuthError(.invalidRequest, "this request was answered already; begin again in the application"))
}

/// A pending request as pages hold it.
public struct PendingReference: Sendable {
    let row: PendingRequest
    public var reference: String { row.reference }
    public var openedAt: Date { row.openedAt }

    init(_ row: PendingRequest) { self.row = row }
}

/// A request before it is understood: enough to tell where a refusal may go.
struct AskedRequest {
    let parameters: OAuthParameters
    let client: WebClient
    let issuer: String

    init(_ parameters: OAuthParameters, client: WebClient, issuer: String) {
        (self.parameters, self.client, self.issuer) = (parameters, client, issuer)
    }

    /// A look at a parameter whose shape may be wrong.
    func page<Value>(_ look: (OAuthParameters) throws -> Value) throws -> Value {
        do { return try look(parameters) } catch let error as OAuthError { throw AuthorizationRefusal.page(error) }
    }

    /// Back to the client only where its redirect URI stands outside, registered.
    func refused(_ error: OAuthError) -> AuthorizationRefusal {
        let state = (try? parameters["state"]) ?? nil
        guard let named = try? parameters["redirect_uri"], client.accepts(redirectURI: named),
            (state?.utf8.count ?? 0) <= AuthorizationParameters.longest
        else { return .page(error) }
        return .redirect(error, RedirectTarget(redirectURI: named, state: state, issuer: issuer))
    }
}
