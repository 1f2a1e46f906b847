import Base
import Foundation
import HTTP
import HTTPTypes
import Hummingbird
import Pages

/// What a page that wants a wallet is given here: the script, ways to the other side, and a page to try both.
enum LiquidPageRoutes {
    private static let ice = "/services/liquid/ice"

    /// `root` is the URL of this host's root.
    static func endpoints(_ context: LiquidRequestContext, root: String) -> [Endpoint] {
        let liquid = context.liquid
        let ofWallets = context.endpoint(.get, ice, "STUN and TURN servers, with credentials for a while") { asked in
            .found(try liquid.iceServers(asked.presented))
        }
        return [
            Endpoint(.get, ice, ofWallets.summary) { request, routed in
                if let answer = try await context.iceServers(request, routed) { return answer }
                return try await ofWallets.handler(request, routed)
            }.telling(.iceServers),
            context.preflight(ice),
            Endpoint(.get, LiquidClientScript.path, "liquid: script of pages that want a wallet, an ES module") {
                _, _ in
                Answer.text(
                    LiquidClientScript.module, type: "text/javascript; charset=utf-8",
                    headers: [.cacheControl: "public, max-age=3600"])
            }.telling(.clientScript).forOrigins(.any),
            HealthRoutes.asset(
                LiquidDemoScript.name, "text/javascript", "Script of liquid's demo page", LiquidDemoScript.text),
            Endpoint(.get, "/services/liquid/demo", "liquid: a page to try a wallet with") { request, _ in
                let isRelayed = try QueryItems(request).items.contains { $0.name == "relay" }
                let page = LiquidDemoPage(
                    Language(of: request), root: root, request: Randomness.system.uuid().uuidString.lowercased(),
                    isRelayed: isRelayed)
                return PageAnswer.html(page.html, hasScript: true, hasForm: false)
            }.telling(
                EndpointShape(
                    query: ["relay"], answer: "Page", meanings: ["relay": "By TURN alone, to see whether it works."],
                    answerType: "text/html", security: [], others: [.pageError])),
        ]
    }
}
