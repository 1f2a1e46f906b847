import Base
import Database
import Pages
import Vocabulary

/// Health, and what all pages load.
public enum HealthRoutes {
    static func endpoints(_ database: Database, _ drain: Drain?) -> [Endpoint] {
        [
            Endpoint(.get, "/healthz", "The process lives") { _, _ in Answer.json(["status": "ok"]) }
                .telling(.health),
            Endpoint(.get, "/readyz", "The process can serve: its database answers, and it is not about to stop") {
                _, _ in
                if drain?.hasBegun == true {
                    // As planned, at each look of each proxy: no line at `error` for any of them.
                    throw OAuthError(.temporarilyUnavailable, "this process is about to stop", retryAfter: 2).tallied
                }
                _ = try await database.query("select 1 as one")
                return Answer.json(["status": "ok"])
            }.telling(.readiness),
            asset("pando.css", "text/css", "Style of all pages", Stylesheet.text),
            asset("watch.js", "text/javascript", "Script of pages that wait", WatchScript.text),
        ]
    }

    /// `/assets/NAME`, which browsers may keep for an hour.
    public static func asset(_ name: String, _ type: String, _ summary: String, _ text: String) -> Endpoint {
        Endpoint(.get, "/assets/" + name, summary) { _, _ in
            Answer.text(text, type: type + "; charset=utf-8", headers: [.cacheControl: "public, max-age=3600"])
        }.telling(.asset(type))
    }
}
