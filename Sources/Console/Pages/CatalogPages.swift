import HTTP

/// The pages that are made of the catalog: one for each command.
enum CatalogPages {
    /// Of a list, its noun; of anything else its words.
    static func path(_ words: [String]) -> String {
        "/admin/" + (words.last == "list" ? words.dropLast() : words[...]).joined(separator: "/")
    }
}

extension ConsoleContext {
    var pageEndpoints: [Endpoint] {
        [HealthRoutes.asset("console.css", "text/css", "Style of the console", ConsoleStyle.text)]
    }
}
