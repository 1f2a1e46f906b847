import Pages

/// `/services/liquid/demo`: a page that wants a wallet. The code is drawn here; what comes of it is shown by
/// `LiquidDemoScript`, which only turns lines of this page on and off.
struct LiquidDemoPage: Sendable {
    let own: SharedStrings<LiquidDemoStrings>, language: Language
    let request: String, link: String?, scan: CodeShown?, isRelayed: Bool
    let module = LiquidClientScript.path

    /// `root` is the URL of this host's root, `request` a UUID. `isRelayed`: by TURN alone.
    init(_ language: Language, root: String, request: String, isRelayed: Bool) {
        (own, self.language, self.request, self.isRelayed) = (language.liquidDemo, language, request, isRelayed)
        link = ShownText.appLink(WalletCodeLogin.link(request, at: root))
        scan = link.flatMap { CodeShown($0) }
    }

    var html: String {
        Layout.liquid.render(
            "demo", title: own.title, language: language, door: true, script: LiquidDemoScript.address, self)
    }

    static let template = """
        <h1>{{own.title}}</h1>
        <p class="lead">{{own.lead}}</p>
        <noscript><p class="note warn">{{own.noScript}}</p></noscript>
        <div class="scan" data-liquid="{{module}}" data-request="{{request}}" data-own="{{own.you}}" \
        data-theirs="{{own.wallet}}"{{#isRelayed}} data-way="relay"{{/isRelayed}}>
        <div data-when="new connecting waiting">
        <p>{{own.scan}}</p>
        {{#scan}}{{> code}}{{/scan}}
        {{#link}}<ul class="buttons"><li><a class="button second" href="{{.}}">{{own.open}}</a></li></ul>{{/link}}
        </div>
        <div role="status">
        <p class="quiet" data-state="connecting" hidden>{{own.states.connecting}}</p>
        <p class="quiet" data-state="waiting" hidden>{{own.states.waiting}}</p>
        <p class="note" data-state="linked" hidden>{{own.states.linked}}</p>
        <p class="note good" data-state="open" hidden>{{own.states.open}}</p>
        <p class="note warn" data-state="offline" hidden>{{own.states.offline}}</p>
        <p class="note bad" data-state="expired" hidden>{{own.states.expired}}</p>
        <p class="note bad" data-state="over" hidden>{{own.states.over}}</p>
        </div>
        <p data-known hidden>{{own.wallet}} <bdi class="strong" data-wallet>…</bdi></p>
        <div data-when="open" hidden>
        <label for="message">{{own.message}}</label>
        <input id="message" maxlength="1000" autocomplete="off" data-field>
        <ul class="buttons"><li><button type="button" class="button" data-send>{{own.send}}</button></li></ul>
        </div>
        <ul class="cards" aria-label="{{own.messages}}" aria-live="polite" data-messages></ul>
        <ul class="buttons" data-when="ended" hidden><li><a class="button" \
        href="/services/liquid/demo{{#isRelayed}}?relay=1{{/isRelayed}}">{{own.again}}</a></li></ul>
        </div>
        """
}

extension Layout {
    static let liquid = Layout(["demo": LiquidDemoPage.template])
}
