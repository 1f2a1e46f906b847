import Mustache

private struct Frame: Sendable { let title: String, content: String, rsd: String? }

/// The frame of every page: title, content, footer.
struct Layout {
    private static let library: MustacheLibrary = {
        var library = MustacheLibrary()
        for (name, template) in [("layout", layout), ("home", HomePage.template), ("service", ServicePage.template), ("attributes", AttributesPage.template)] {
            guard let template = try? MustacheTemplate(string: template) else { continue }
            library.register(template, named: name)
        }
        return library
    }()

    private static let layout = """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>{{title}} · Pando</title>
        <link rel="stylesheet" href="/assets/pando.css">
        {{#rsd}}<link rel="ServiceAPI" type="application/x-rsd+json" title="RSD" href="{{.}}">{{/rsd}}
        </head>
        <body>
        <header><a class="brand" href="/">Pando</a></header>
        <main>
        {{{content}}}
        </main>
        <footer>One root, many trunks.</footer>
        </body>
        </html>
        """

    /// `content` is a view model rendered by the template of that name; it is the only HTML that goes in unescaped.
    static func render(_ name: String, title: String, rsd: String? = nil, _ model: some Sendable) -> String {
        let content = library.render(model, withTemplate: name) ?? ""
        return library.render(Frame(title: title, content: content, rsd: rsd), withTemplate: "layout") ?? ""
    }
}
