import Accounts
import Base
import Foundation
import HTTP
import HTTPTypes
import Hummingbird
import OAuth
import Pages
import Vocabulary

/// A person's own data: to have all of it, and to delete the account.
enum DataRoutes {
    private static let types = ["application/json", "text/html"]

    static func endpoints(_ idp: AuthorizationServer, _ data: PersonalData) -> [Endpoint] {
        let web = idp.web
        return [
            BrowserRequest.get("/account/data", "What is held on the person, and how to have or end it", web) {
                browser in
                try await changing("/account/data", browser, isRecent: false) { session in
                    let page = DataPage(
                        browser.language, person: PersonShown(session.account), host: host(idp),
                        deletes: data.deletion.policy == .byPerson)
                    return browser.html(page.html)
                }
            },
            Endpoint(.get, "/account/export", "All that is held on the person") { request, context in
                try await export(request, context, idp, data)
            }.telling(.accountExport),
            Endpoint(.delete, "/account", "Deletes the person's account") { request, context in
                let presented = request.presented(idp.realm.base, context)
                return Answer.json(try await data.deletion.delete(try await idp.person(presented), presented).json)
            }.telling(.accountDeletion),
            BrowserRequest.get("/account/delete", "Asks before the account is deleted", web) { browser in
                try await deleting(browser, idp, data) { session in question(browser, session, problem: nil) }
            },
            BrowserRequest.post(
                "/account/delete", "Deletes the person's account", web, purpose: { _ in "account/delete" }
            ) { browser in
                try await deleting(browser, idp, data) { session in try await delete(browser, session, data) }
            }.asking("password"),
        ]
    }

    private static func host(_ idp: AuthorizationServer) -> String {
        WebAddress(idp.realm.base)?.host ?? idp.realm.base
    }

    // MARK: Export

    /// An app by its personal access token, a person by the browser's session; the file's type by `format`, or by what
    /// the request accepts.
    private static func export(
        _ request: Request, _ context: RoutedContext, _ idp: AuthorizationServer, _ data: PersonalData
    ) async throws -> Response {
        let accepted = AcceptedType.choose(among: types, for: request)
        guard request.headers[.authorization] == nil else {
            let presented = request.presented(idp.realm.base, context)
            let owner = Owner(try await idp.person(presented), presented)
            let language = Language(accepting: request.headers[.acceptLanguage], uiLocales: nil)
            let type = try type(try QueryItems(request).one("format"), or: accepted)
            return answer(try await data.export.export(owner), type, language, data)
        }
        // It leaves a line in the trail and is counted: no other site's link does that to somebody.
        do { try BrowserRequest.sameOrigin(request, idp.realm.base) } catch let refusal as OAuthError {
            return try BrowserRequest.page(refusal, request)
        }
        let isPage = PageAnswer.isWanted(request)
        let page = BrowserRequest.get("/account/export", "", idp.web) { browser in
            guard isPage || browser.context.session != nil else {
                throw OAuthError(.invalidToken, "show an access token in the Authorization header")
            }
            let type = try type(try browser.parameters["format"], or: accepted)
            return try await changing("/account/data", browser, isRecent: false) { session in
                let owner = Owner(session, browser.context)
                return answer(try await data.export.export(owner), type, browser.language, data)
            }
        }
        return try await page.handler(request, context)
    }

    private static func type(_ format: String?, or accepted: String) throws -> String {
        switch format {
        case nil: return accepted
        case "json": return types[0]
        case "html": return types[1]
        default: throw OAuthError(.invalidRequest, "format is json or html")
        }
    }

    /// JSON is a file to keep; the page can be read, and kept under the same name.
    private static func answer(
        _ export: OwnData.Export, _ type: String, _ language: Language, _ data: PersonalData
    ) -> Response {
        let name = "pando-account-\(export.at.rfc3339.prefix(10))"
        guard type == types[1] else {
            let headers: HTTPFields = [.contentDisposition: "attachment; filename=\"\(name).json\""]
            return Answer.json(export.json, headers: headers)
        }
        let page = ExportPage(language, export) { data.title($0, language) }
        let headers: HTTPFields = [.contentDisposition: "inline; filename=\"\(name).html\""]
        return PageAnswer.html(page.html, headers: headers)
    }

    // MARK: Deletion

    /// `body` for who is logged in, with what the account asks for; `isRecent`: and has shown anew what they log in
    /// with. Everybody else goes where they do that, and comes back to `place`.
    private static func changing(
        _ place: String, _ browser: BrowserRequest, isRecent: Bool,
        _ body: (BrowserSession) async throws -> Response
    ) async throws -> Response {
        let web = browser.web, back = "return_to=\(FormCodec.encode(place))"
        guard let session = browser.context.session else { return browser.redirect("\(web.issuer)/login?\(back)") }
        if let detour = try await web.detour(session, to: place) { return browser.redirect(detour) }
        if isRecent {
            switch try await web.before(changing: session, favourite: "") {
            case .nothing: break
            case .login: return browser.redirect("\(web.issuer)/login?\(back)&again=1")
            case .factor(let page): return browser.redirect("\(web.issuer)\(page)?\(back)")
            }
        }
        return try await body(session)
    }

    private static func deleting(
        _ browser: BrowserRequest, _ idp: AuthorizationServer, _ data: PersonalData,
        _ body: (BrowserSession) async throws -> Response
    ) async throws -> Response {
        // Where operators delete accounts, the page of the data says whom to ask.
        guard data.deletion.policy == .byPerson else {
            return try await changing("/account/data", browser, isRecent: false) { session in
                let page = DataPage(
                    browser.language, person: PersonShown(session.account), host: host(idp), deletes: false)
                return browser.html(page.html, status: .forbidden)
            }
        }
        return try await changing("/account/delete", browser, isRecent: true, body)
    }

    private static func question(
        _ browser: BrowserRequest, _ session: BrowserSession, problem: DeletionPage.Problem?
    ) -> Response {
        let page = DeletionPage(
            browser.language, person: PersonShown(session.account), username: session.account.username,
            formToken: browser.context.formToken("account/delete"), problem: problem)
        return browser.html(page.html)
    }

    private static func delete(
        _ browser: BrowserRequest, _ session: BrowserSession, _ data: PersonalData
    ) async throws -> Response {
        do {
            let done = try await data.deletion.delete(
                password: try browser.parameters["password"] ?? "", session, browser.context)
            let things = done.counts.reduce(0) { $0 + ($1.value.integer ?? 0) }
            let page = DeletedPage(browser.language, services: done.services, things: things)
            return browser.endingSession(browser.html(page.html))
        } catch OwnAccount.PasswordRefused.tooMany(let seconds) {
            return question(browser, session, problem: .tooMany(seconds: seconds))
        } catch OwnAccount.PasswordRefused.busy {
            throw OAuthError(
                .temporarilyUnavailable, "many people are logging in; try again in a moment", retryAfter: 2)
        } catch is OwnAccount.PasswordRefused {
            return question(browser, session, problem: .wrong)
        }
    }
}

extension EndpointShape {
    fileprivate static let accountExport = EndpointShape(
        query: ["format:=json|html"], answer: "AccountExport",
        about: """
            An array of objects for each kind of thing that is held on the person, the newest first, without secrets; \
            `cut` names arrays that were too long (5,000 objects, or 4 MiB). JSON, or a page for people: by `format`, \
            else by `Accept`. By cookies not from another site. 429 after twenty within an hour.
            """,
        meanings: ["format": "json or html, whatever is accepted"],
        otherTypes: ["text/html": "Page"],
        answerHeaders: ["Content-Disposition": "A name for the file"],
        security: [[.bearer], [.dpop], [.browser, .person]], others: [.onward, .pageError], errors: [429])

    fileprivate static let accountDeletion = EndpointShape(
        answer: "AccountDeletion",
        about: """
            Where `account-deletion` is `self`; 403 elsewhere. With a personal access token whose login is at most \
            five minutes old, and showed a second factor where the person has one: otherwise 401 \
            `insufficient_user_authentication` (RFC 9470). Everything that acts for the person ends, and services are \
            told. The answer says when, how many services were told, and what went of phones and passkeys.
            """,
        security: [[.bearer], [.dpop]], others: [.oauthError])
}

extension OpenAPISchema {
    static let ownData = [
        OpenAPISchema(
            "AccountExport", "By kind of thing, an array of objects; and when, for whom, from which server.",
            type: "object", example: IdentityProviderExamples.export),
        OpenAPISchema(
            "AccountDeletion", "When, how many services were told, and counts of what went.", type: "object",
            example: IdentityProviderExamples.deletion),
    ]
}
