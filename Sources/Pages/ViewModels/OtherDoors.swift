/// Other doors on a page of one; drawn below the rest.
public struct OtherDoors: Sendable {
    let password: String?, alternatives: [LoginAlternative]

    /// `nil` when there is none. `password` is the path of ours where one logs in with it.
    public init?(password: String?, _ alternatives: [LoginAlternative]) {
        (self.password, self.alternatives) = (password.flatMap(ShownText.ownLink), alternatives)
        if self.password == nil, alternatives.isEmpty { return nil }
    }

    /// Items of a list of buttons, within a view model that has `strings`.
    static let template = """
        {{#.password}}<li><a class="button second" href="{{.}}">{{strings.login.withPassword}}</a></li>{{/.password}}\
        {{#alternatives}}<li><a class="button second" href="{{href}}">{{label}}</a></li>{{/alternatives}}
        """
}
