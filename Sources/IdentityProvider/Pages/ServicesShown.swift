import Pages

/// The services at which an application wants to act for a person (RFC 8707), by name and address: a name alone could
/// be anybody's.
struct ServicesShown: Sendable {
    struct Row: Sendable {
        let name: String, address: String?

        /// `base` is the URL of the service.
        init(name: String, base: String) {
            let address = base.firstRange(of: "://").map { String(base[$0.upperBound...]) } ?? base
            self.address = ShownText.tidy(address, limit: 253)
            self.name = ShownText.tidy(name, limit: 80) ?? self.address ?? "?"
        }
    }

    let rows: [Row]

    /// `nil` for none.
    init?(_ rows: [Row]) {
        guard !rows.isEmpty else { return nil }
        self.rows = rows
    }

    static let template = """
        <ul class="lines">
        {{#rows}}<li><svg class="icon" viewBox="0 0 24 24" aria-hidden="true">\
        <path d="M4 20V9.5L12 4l8 5.5V20zM9.5 20v-6h5v6"/></svg><div>
        <span class="strong"><bdi>{{name}}</bdi></span>
        {{#.address}}<span class="quiet"><bdi>{{.}}</bdi></span>{{/.address}}
        </div></li>
        {{/rows}}</ul>
        """
}
