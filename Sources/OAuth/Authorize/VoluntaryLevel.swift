import Accounts
import Vocabulary

/// A level that a request wishes for and does not insist on: `acr` is a voluntary claim unless it is asked for as
/// essential (OpenID Connect Core, 3.1.2.1 and 5.5.1.1). Who has the factor is asked for it, and may go on without: in
/// a browser without scripts a passkey cannot be shown, and a phone may be at home. The application reads the level
/// that was reached.
extension AuthorizeEndpoint {
    /// Whether who is logged in may go on without the factor that a page asks them for.
    public func isVoluntary(_ checked: AuthorizationParameters, _ context: BrowserSessionContext) -> Bool {
        guard let session = context.session, let demand = demand(session, checked) else { return false }
        return !demand.isCondition
    }

    /// They do. Throws `AuthorizationRefusal` where it is a condition, or the request is gone.
    public func goOnWithoutLevel(_ reference: String, _ context: BrowserSessionContext) async throws {
        let (pending, checked) = try await pending(reference, context)
        guard isVoluntary(checked, context) else {
            throw AuthorizationRefusal.page(
                OAuthError(.invalidRequest, "this login does not go on without the factor that it asks for"))
        }
        guard try await requests.waiveLevel(pending.reference, browser: context.browser) else {
            throw AuthorizeEndpoint.answered
        }
    }

    func demand(_ session: BrowserSession, _ checked: AuthorizationParameters) -> FactorDemand? {
        FactorDemand(session.account, levels: checked.wantedLevels, isEssential: checked.requiresLevel, of: factors)
    }
}
