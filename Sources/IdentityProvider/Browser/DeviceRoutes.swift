import Base
import HTTP
import Hummingbird
import OAuth
import Pages
import Vocabulary

/// Devices without a browser (RFC 8628): where they begin, and the page where their person decides.
enum DeviceRoutes {
    static func endpoints(_ idp: AuthorizationServer) -> [Endpoint] {
        let web = idp.web
        return [
            Endpoint(.post, "/device_authorization", "Device authorization (RFC 8628, 3.1)") { request, context in
                let parameters = try await BodyReading.parameters(request)
                return Answer.json(try await web.devices.begin(request.presented(web.issuer, context), parameters))
            }.telling(.deviceAuthorization).named("deviceAuthorization"),
            BrowserRequest.get("/device", "Where a person types the code of a device", web) { browser in
                try await enter(browser)
            }.asking("user_code"),
            BrowserRequest.post(
                "/device", "The person's decision about a device", web,
                purpose: { "device \(try $0.required("user_code"))" }
            ) { browser in try await decide(browser) }.asking("user_code!", "decision!:=allow|deny"),
        ]
    }

    private static func enter(_ browser: BrowserRequest) async throws -> Response {
        let typed = try browser.parameters["user_code"]
        guard let session = browser.context.session else {
            let code = typed.flatMap { UserCode(typed: $0)?.text }
            let place = code.map { "/device?user_code=\($0)" } ?? "/device"
            return browser.redirect(
                "\(browser.web.issuer)/login?return_to=\(place.replacing("?", with: "%3F").replacing("=", with: "%3D"))"
            )
        }
        let place = typed.flatMap { UserCode(typed: $0)?.text }.map { "/device?user_code=\($0)" } ?? "/device"
        if let detour = try await browser.web.detour(session, to: place) { return browser.redirect(detour) }
        let person = PersonShown(session.account)
        guard let typed else {
            return browser.html(DevicePage(browser.language, .enter(code: "", isUnknown: false), person: person).html)
        }
        guard let waiting = try await browser.web.devices.find(typed, session, browser.context) else {
            return browser.html(DevicePage(browser.language, .enter(code: typed, isUnknown: true), person: person).html)
        }
        if browser.web.devices.wantsNewLogin(waiting, than: session) {
            return browser.redirect("\(browser.web.issuer)/login?return_to=\(FormCodec.encode(place))&again=1")
        }
        let lines = browser.web.lines(waiting.scope, single: [], client: waiting.client, person: session.account).map {
            ConsentPage.Line($0, in: browser.language)
        }
        let step = DevicePage.Step.confirm(
            client: ClientShown(waiting.client, in: browser.language, getsAnswers: false), code: waiting.code.text,
            lines: lines)
        return browser.html(
            DevicePage(
                browser.language, step, person: person,
                formToken: browser.context.formToken("device \(waiting.code.text)")
            ).html)
    }

    private static func decide(_ browser: BrowserRequest) async throws -> Response {
        guard let session = browser.context.session else {
            return browser.redirect("\(browser.web.issuer)/login?return_to=/device")
        }
        let typed = try browser.parameters.required("user_code"),
            allow = try browser.parameters.required("decision") == "allow"
        guard let waiting = try await browser.web.devices.find(typed, session, browser.context),
            try await browser.web.decide(waiting, allow: allow, session, browser.context)
        else {
            return browser.html(
                DevicePage(browser.language, .enter(code: typed, isUnknown: true), person: PersonShown(session.account))
                    .html)
        }
        return browser.html(
            DevicePage(browser.language, allow ? .allowed : .denied, person: PersonShown(session.account)).html)
    }
}
