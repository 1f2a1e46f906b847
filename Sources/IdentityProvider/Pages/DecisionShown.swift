import Pages

/// What a person is asked to allow or to deny, as the last part of a page: who they are, what would be told, where it
/// would act for them, and the two buttons, `decision` being "allow" or "deny".
struct DecisionShown: Sendable {
    let client: ClientShown, person: PersonShown?, scopes: ScopesShown, services: ServicesShown?
    let action: String, formToken: String
    /// The hidden field that says what is decided.
    let field: String, value: String

    static let template = """
        {{#person}}{{> person}}{{/person}}
        <h2>{{own.consent.receives}}</h2>
        {{#scopes}}{{> scopes}}{{/scopes}}
        {{#services}}<h2>{{own.consent.acts}}</h2>
        {{> services}}{{/services}}
        <form method="post" action="{{action}}">
        <input type="hidden" name="form_token" value="{{formToken}}">
        <input type="hidden" name="{{field}}" value="{{value}}">
        <div class="choice">
        <button class="button" name="decision" value="allow">{{own.consent.allow}}</button>
        <button class="button second" name="decision" value="deny">{{own.consent.deny}}</button>
        </div>
        </form>
        <p class="quiet">{{own.consent.withdrawal}}</p>
        {{#client}}{{> links}}{{/client}}
        """
}
