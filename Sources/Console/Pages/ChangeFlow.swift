import Administration
import Base
import HTTP
import Hummingbird
import OAuth
import Pages

/// From the form of a change to what came of it: what destroys is looked at first and asked for twice, the second time
/// by who has logged in lately, and only if it would still do what was looked at.
enum ChangeFlow {
    static func form(_ entry: AdminEntry, _ request: ConsoleRequest) async throws -> Response {
        let form = try await ChangeForm(entry, request)
        if let refused = try await request.context.catalog.refusal(
            entry, FormField.arguments(form.asked, of: entry), in: request.admin)
        {
            throw refused
        }
        return try await page(form, .form(nil), request)
    }

    static func answer(_ entry: AdminEntry, _ request: ConsoleRequest) async throws -> Response {
        let form = try await ChangeForm(entry, request, isSent: true), session = request.because(form.reason)
        let catalog = request.context.catalog, arguments = form.arguments
        func dryRun() async throws -> JSONObject {
            var trying = arguments
            trying["dry_run"] = true
            return try await catalog.run(entry, trying, in: session).members
        }
        do {
            // What cannot be understood is said before anybody is asked to log in again.
            _ = try catalog.command(entry, arguments)
            let destroys = form.destroys(in: catalog), step = try request.browser.parameters["console_step"]
            if destroys, let detour = try await stepUp(form, request) { return request.browser.redirect(detour) }
            switch step {
            case "confirm" where destroys:
                let now = try await dryRun(), seen = try request.browser.parameters["console_seen"] ?? ""
                guard WhatEnds.Seen(now).isExpected(seen) else {
                    return try await page(form, .preview(now, isAgain: true), request)
                }
            case "save" where !destroys, "confirm": break
            default: return try await page(form, .preview(try await dryRun(), isAgain: false), request)
            }
            let result = try await catalog.run(entry, arguments, in: session).members
            return try await done(form, result, request)
        } catch let failure as AdminFailure
            where [.usage, .invalid, .conflict, .notFound].contains(failure.code)
        {
            return try await page(form, .form(failure), request)
        } catch let failure as AdminFailure where failure.code == .stepUp {
            return request.browser.redirect(again(form, request, page: "/login"))
        }
    }

    private static func page(
        _ form: ChangeForm, _ stage: ChangePage.Stage, _ request: ConsoleRequest
    ) async throws -> Response {
        let shown = try await ChangePage(form, stage, request)
        let page = ConsolePage(
            request, title: shown.pageTitle, active: CatalogPages.active(form.entry.words))
        guard case .form(let failure?) = stage else { return page.answer("change", shown) }
        return page.answer("change", status: failure.pageStatus, shown)
    }

    // MARK: Step-up

    /// Where somebody goes first who has not shown lately who they are (RFC 9470); `nil` for who has. Who has a second
    /// factor shows that, as before they change what they log in with.
    private static func stepUp(_ form: ChangeForm, _ request: ConsoleRequest) async throws -> String? {
        let age = request.admin.now.timeIntervalSince(request.person.history.latest)
        let isOld = age > request.admin.stepUpAge
        switch try await request.context.web.before(changing: request.person, favourite: "") {
        case .factor(let page): return again(form, request, page: page)
        case .login, .nothing: return isOld ? again(form, request, page: "/login") : nil
        }
    }

    /// Comes back to the form, filled in as it was as far as an address can hold it, and never with a password or a
    /// file.
    private static func again(_ form: ChangeForm, _ request: ConsoleRequest, page: String) -> String {
        let words = form.entry.words, files = form.entry.arguments.filter(\.isFile).map(\.name)
        var texts = form.texts.filter { $0.0 != AdminArgument.stdin && !files.contains($0.0) }
        if let reason = form.reason { texts.append(("reason", reason)) }
        var place = CatalogPages.address(words, texts)
        if place.utf8.count > 1_000 { place = CatalogPages.address(words, form.named) }
        let query = LoginPlace(naming: place).query + (page == "/login" ? "&again=1" : "")
        return "\(request.context.web.issuer)\(page)?\(query)"
    }

    // MARK: Done

    /// On to the thing, or what is left of it; what is told once is shown here, in answer to the form.
    private static func done(
        _ form: ChangeForm, _ result: JSONObject, _ request: ConsoleRequest
    ) async throws -> Response {
        let place = form.after(result, in: request.context.catalog)
        if !form.entry.tellsOnce, !ConsoleSecrets.areTold(in: .object(result)), let place {
            let word = result["already"]?.bool == true ? "already" : "yes"
            let mark = place.contains("?") ? "&" : "?"
            return request.browser.redirect("\(request.context.web.issuer)\(place)\(mark)done=\(word)")
        }
        let shown = try await DonePage(form, result, place: place, request)
        let page = ConsolePage(request, title: shown.title, active: CatalogPages.active(form.entry.words))
        return page.answer("done", shown)
    }
}

extension AdminResult {
    /// Of a change, which tells one object.
    fileprivate var members: JSONObject {
        switch self {
        case .object(let members): members
        case .list(let items, _): ["items": .array(items)]
        }
    }
}
