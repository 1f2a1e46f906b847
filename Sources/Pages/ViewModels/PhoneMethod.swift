/// The two ways of logging in with a phone: scanning (tiqr) and approving (operations). Where their account pages are, and how setting one up is said.
public enum PhoneMethod: Sendable, CaseIterable {
    case scanning, approving

    var account: String {
        switch self {
        case .scanning: "/account/phones"
        case .approving: "/account/approvals"
        }
    }

    func setup(_ strings: Strings) -> Strings.PhoneLogin.Setup {
        switch self {
        case .scanning: strings.phoneLogin.setup
        case .approving: strings.approval.setup
        }
    }
}

/// Other doors on a page of one; drawn below the rest.
struct OtherDoors: Sendable {
    let password: String?, alternatives: [LoginPage.Alternative]

    /// `nil` when there is none. `password` is the path of ours where one logs in with it.
    init?(password: String?, _ alternatives: [LoginPage.Alternative]) {
        (self.password, self.alternatives) = (password.flatMap(ShownText.ownLink), alternatives)
        if self.password == nil, alternatives.isEmpty { return nil }
    }

    /// Items of a list of buttons.
    static let template = """
        {{#.password}}<li><a class="button second" href="{{.}}">{{strings.phoneLogin.password}}</a></li>{{/.password}}\
        {{#alternatives}}<li><a class="button second" href="{{href}}">{{label}}</a></li>{{/alternatives}}
        """
}
