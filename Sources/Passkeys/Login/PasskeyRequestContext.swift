import Accounts
import Base
import Foundation
import HTTP
import Hummingbird
import OAuth
import Pages
import Vocabulary

/// What the pages of passkeys share. A question belongs to the browser that asked it, and to what goes on there: an
/// attempt to log in, or a session that changes its passkeys. What answers elsewhere, or to another question, answers
/// nothing.
struct PasskeyRequestContext: LoginRequestContext {
    /// What attempts are called (`LoginAttempt.method`). Setting one up needs none: it is over with one answer.
    static let login = "passkey", setup = "passkey-setup"
    /// The factor that a wallet's is. It is asked for on the same pages.
    static let wallet = Passkey.Flow.liquid.factor

    let login: PasskeyLogin
    let web: WebSide

    func holder(_ attempt: LoginAttempt, _ browser: BrowserRequest) -> String {
        "login \(browser.context.browser) \(attempt.reference)"
    }

    /// `what` is `add` or `link`. The session is in it, so that who logs in meanwhile finds nothing.
    func holder(_ what: String, _ session: BrowserSession, _ browser: BrowserRequest) -> String {
        "\(what) \(browser.context.browser) \(session.id)"
    }

    /// What the script sent; `nil` from a browser that runs none, or whose question was refused.
    func answer(_ browser: BrowserRequest) throws -> JSONValue? {
        guard let text = try browser.parameters["answer"] else { return Optional.none }
        do { return try JSONReader.read(Array(text.utf8)) } catch { throw PasskeyRefusal.refused(.responseMalformed) }
    }

    /// What a script asked is refused as JSON; it sends its form then, and the page says the same in words.
    func asking(_ question: () async throws -> JSONObject) async throws -> Response {
        do { return Answer.json(.object(try await question())) } catch let refusal as PasskeyRefusal {
            throw OAuthError(
                refusal == .notFound ? .notFound : .accessDenied,
                "there is nothing to ask: no passkey of this account, or too many")
        }
    }
}

extension PasskeyProblem {
    init(_ refusal: PasskeyRefusal) {
        self =
            switch refusal {
            case .challengeUnknown: .over
            case .refused(.counterRegressed): .copied
            case .refused(.credentialNotAllowed): .another
            case .refused, .last: .refused
            case .unknown, .notFound: .unknown
            case .tooMany: .tooMany
            case .taken: .taken
            }
    }

    init(_ why: BrowserLogin.Incomplete) {
        self =
            switch why {
            case .suspended: .notAllowed
            case .another: .another
            case .over: .ended
            case .removed: .unknown
            }
    }
}

extension OwnPasskey {
    init(_ passkey: Passkey) {
        self.init(
            id: passkey.text, name: passkey.name, since: passkey.createdAt, lastUsed: passkey.lastUsedAt,
            isSynced: passkey.backedUp,
            isWallets: passkey.flow == .liquid, isFlagged: passkey.flaggedAt != nil)
    }
}
