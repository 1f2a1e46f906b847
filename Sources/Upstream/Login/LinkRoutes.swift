import Accounts
import Base
import Foundation
import HTTP
import Hummingbird
import OAuth
import Pages
import TokenTree
import Vocabulary

/// Links between accounts and who somebody is at their institution: made by who is logged in here and has just logged
/// in there, and taken away. Who may: `LoginRequestContext.detour`.
enum LinkRoutes {
    private static let add = "/account/institutions/add", link = "/account/institutions/link"

    static func endpoints(_ context: UpstreamRequestContext) -> [Endpoint] {
        let web = context.web
        return [
            BrowserRequest.get(add, "To an institution, to link who is logged in", web, pace: .login) { browser in
                try await begin(browser, context)
            }.asking("provider", "q"),
            BrowserRequest.get(link, "Asks whether somebody at an institution is who is logged in", web) { browser in
                try await ask(browser, context)
            }.asking("attempt!"),
            BrowserRequest.post(
                link, "Links them", web, purpose: { "link \(try $0.required("attempt"))" }
            ) { browser in
                try await confirm(browser, context)
            }.asking("attempt!"),
            BrowserRequest.post("/account/institutions/remove", "Takes a link away", web, purpose: { _ in "account" }) {
                browser in
                try await remove(browser, context)
            }.asking("link!"),
        ]
    }

    // MARK: Whoever is not known here

    /// They log in with their password, and say then that it is they.
    static func wait(
        _ person: UpstreamPerson, at provider: UpstreamProvider, _ then: String, _ browser: BrowserRequest,
        _ context: UpstreamRequestContext
    ) async throws -> Response {
        let onward = place(try await open(person, at: provider, then, nil, browser, context))
        let page = UnknownPage(
            browser.language, institution: provider.name, person: person.shown(provider),
            onward: browser.context.session == nil ? "/login?\(onward.query)" : onward.then,
            back: "/login?\(LoginPlace(then: then).query)&here=1")
        return browser.html(page.html)
    }

    /// `account` is who alone may say that it is they; `nil`: whoever logs in.
    private static func open(
        _ person: UpstreamPerson, at provider: UpstreamProvider, _ then: String, _ account: UUID?,
        _ browser: BrowserRequest, _ context: UpstreamRequestContext
    ) async throws -> LoginAttempt {
        let told = PersonClaims.members.map { provider.claims[$0] ?? $0 } + ["email_verified", "preferred_username"]
        var waiting = person.waiting(told)
        waiting["provider"] = .string(provider.id)
        return try await context.web.attempts.open(
            UpstreamRequestContext.waiting, subject: JSONValue.object(waiting).text, account: account, then: then,
            browser: browser.context.browser)
    }

    private static func waiting(
        _ browser: BrowserRequest, _ context: UpstreamRequestContext
    ) async throws -> (attempt: LoginAttempt, person: UpstreamPerson, provider: UpstreamProvider)? {
        guard
            let attempt = try await context.web.attempts.find(
                try browser.parameters.required("attempt"), method: UpstreamRequestContext.waiting,
                browser: browser.context.browser),
            let json = try? JSONReader.read(Array(attempt.subject.utf8)).object,
            let person = UpstreamPerson(waiting: json),
            let provider = try await context.service.open(json["provider"]?.string ?? "")
        else { return nil }
        return (attempt, person, provider)
    }

    private static func ask(_ browser: BrowserRequest, _ context: UpstreamRequestContext) async throws -> Response {
        guard let (attempt, person, provider) = try await waiting(browser, context) else {
            return context.gone(browser)
        }
        return try await context.changing(place(attempt), browser) { session, _ in
            guard attempt.account == nil || attempt.account == session.account.id else { return context.gone(browser) }
            let page = LinkPage(
                browser.language, institution: provider.name, there: person.shown(provider),
                here: session.account.username, attempt: attempt.reference,
                formToken: browser.context.formToken("link \(attempt.reference)"),
                onward: attempt.account == nil ? attempt.then : "/account")
            // The form leads back to the application whose request waits.
            let request = try await context.request(LoginPlace(then: attempt.then), browser)
            return browser.html(page.html, leadsTo: request.map { [$0.target.redirectURI] } ?? [])
        }
    }

    private static func confirm(
        _ browser: BrowserRequest, _ context: UpstreamRequestContext
    ) async throws -> Response {
        guard let (attempt, person, provider) = try await waiting(browser, context) else {
            return context.gone(browser)
        }
        return try await context.changing(place(attempt), browser) { session, _ in
            guard attempt.account == nil || attempt.account == session.account.id else { return context.gone(browser) }
            return try await link(person, at: provider, attempt, session, browser, context)
        }
    }

    private static func place(_ attempt: LoginAttempt) -> LoginPlace {
        LoginPlace(returnTo: "\(link)?attempt=\(attempt.reference)")
    }

    // MARK: From the account page

    private static func begin(_ browser: BrowserRequest, _ context: UpstreamRequestContext) async throws -> Response {
        try await context.changing(LoginPlace(returnTo: add), browser) { session, _ in
            guard let named = try browser.parameters["provider"] else {
                return try await FindingRoutes.page(browser, context) { "\(add)?provider=\($0.id)" }
            }
            guard let provider = try await context.service.open(named) else {
                throw OAuthError(.notFound, "there is no such provider")
            }
            do {
                let then = "/account?done=\(AccountNotice.institutionLinked.word)"
                return browser.redirect(
                    try await context.flow.begin(
                        at: provider, UpstreamRequestContext.setup, account: session.account.id, then: then,
                        wishes: LoginWishes(), loginHint: nil, browser))
            } catch let refusal as UpstreamRefusal {
                let kind = context.service.noted(refusal, provider.id).kind
                return context.refused(kind, LoginPlace(returnTo: "/account"), browser)
            }
        }
    }

    /// Who was sent there to be linked is back, and is asked whether it is they: any page can send them there, and who
    /// they are there may be somebody else's doing.
    static func returned(
        _ person: UpstreamPerson, at provider: UpstreamProvider, _ attempt: LoginAttempt, _ browser: BrowserRequest,
        _ context: UpstreamRequestContext
    ) async throws -> Response {
        guard let session = browser.context.session, session.account.id == attempt.account,
            try await context.web.attempts.use(attempt, in: context.service.database)
        else { return context.gone(browser) }
        let waiting = try await open(person, at: provider, attempt.then, session.account.id, browser, context)
        return browser.redirect(context.web.issuer + place(waiting).then)
    }

    private static func link(
        _ person: UpstreamPerson, at provider: UpstreamProvider, _ attempt: LoginAttempt, _ session: BrowserSession,
        _ browser: BrowserRequest, _ context: UpstreamRequestContext
    ) async throws -> Response {
        let service = context.service, account = session.account.id
        do {
            let isLinked = try await service.database.atomically { transaction in
                guard try await context.web.attempts.use(attempt, in: transaction) else { return false }
                let link = try await service.linking.link(
                    person.subject, at: provider, to: account, "by the person", context.actor(browser),
                    telling: context.web.recovery.notices, in: transaction)
                try await service.linking.update(link, person.person(provider), in: transaction)
                try await service.links.note(session.id, of: link, sid: person.sid, in: transaction)
                return true
            }
            guard isLinked else { return context.gone(browser) }
            return browser.redirect(context.web.issuer + attempt.then)
        } catch let refusal as UpstreamRefusal {
            try await context.drop(attempt)
            return context.refused(
                service.noted(refusal, provider.id).kind, LoginPlace(then: attempt.then), browser)
        }
    }

    // MARK: Unlinking

    private static func remove(_ browser: BrowserRequest, _ context: UpstreamRequestContext) async throws -> Response {
        try await context.changing(LoginPlace(returnTo: "/account"), browser) { session, _ in
            let named = UpstreamLink.named(try browser.parameters.required("link"))
            let service = context.service, account = session.account.id
            let notice = try await service.database.atomically { transaction -> AccountNotice in
                // Of two links taken away at once the second knows of the first.
                _ = try await service.linking.accounts.hold(account, in: transaction)
                guard let named,
                    let link = try await service.links.hold(named.subject, at: named.provider, in: transaction),
                    link.account == account
                else { return .institutionUnlinked }
                let others = try await service.links.list(of: account, in: transaction).count - 1
                let hasPassword = try await service.links.hasPassword(account, in: transaction)
                guard others > 0 || hasPassword || !link.madeAccount else { return .institutionKept }
                try await service.unlink(
                    link, by: context.actor(browser).because("institution unlinked"), sparing: session.id,
                    in: transaction)
                try await context.web.recovery.notices.factorRemoved(
                    LoginElsewhere.way, from: session.account, in: transaction)
                return .institutionUnlinked
            }
            return browser.redirect("\(context.web.issuer)/account?done=\(notice.word)")
        }
    }
}
