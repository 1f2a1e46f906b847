/// Phones that can be asked in place of one: each is a link.
public struct OtherPhones: Sendable {
    let links: [PageLink]

    /// `nil` when there is none.
    public init?(_ links: [PageLink]) {
        guard !links.isEmpty else { return nil }
        self.links = links
    }

    static let template = """
        <h2>{{strings.phone.others}}</h2>
        <ul class="plain">
        {{#links}}<li><a href="{{href}}"><bdi>{{label}}</bdi></a></li>
        {{/links}}</ul>
        """
}
