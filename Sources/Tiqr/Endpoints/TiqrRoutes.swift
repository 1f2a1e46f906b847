import Base
import HTTP
import HTTPTypes
import Hummingbird
import OAuth
import TokenTree
import Vocabulary

/// tiqr as a service of the federation (design/api.md and design/backoffice.md, tiqr): the phone's side, the back
/// office, pictures and landing pages.
enum TiqrRoutes {
    static let enroll = "org.tiqr.enroll"
    static let auth = "org.tiqr.auth"

    /// `root` is the URL of this host's root.
    static func endpoints(_ role: ServiceRole, _ tiqr: TiqrService, root: String) -> [Endpoint] {
        let path = String(role.realm.base.dropFirst(root.count)),
            tiqrContext = TiqrRequestContext(role: role, tiqr: tiqr, root: root)
        return TiqrPhoneRoutes.endpoints(tiqr, path: path) + TiqrEnrollmentRoutes.endpoints(tiqrContext, path: path)
            + TiqrAuthenticationRoutes.endpoints(tiqrContext, path: path)
            + TiqrIdentityRoutes.endpoints(tiqrContext, path: path)
            + TiqrPictureRoutes.endpoints(tiqrContext, path: path) + TiqrLandingRoutes.endpoints(tiqr)
    }
}

/// Where the back office's requests are let in.
struct TiqrRequestContext: Sendable {
    let role: ServiceRole
    let tiqr: TiqrService
    let root: String

    /// The caller, if its token reaches one of `scopes`; see `ServiceRole.caller`.
    func caller(
        _ scopes: [String], _ request: Request, _ context: RoutedContext, machinesOnly: Bool = false
    ) async throws -> TiqrCaller {
        let shown = request.presented(root, context)
        switch try await role.caller(scopes: scopes, shown, machinesOnly: machinesOnly) {
        case .machine(let client, let holder):
            return .machine(
                client: client, below: holder.standing,
                actor: AuditActor(name: "client:\(client)", origin: shown.origin))
        case .app(let person, let holder): return .app(person: person, token: holder.token, actor: holder.actor(shown))
        }
    }

    /// The last part of the path, without the ending of a picture.
    func name(_ context: RoutedContext) throws -> String {
        guard let name = context.parameters.get("id"), !name.isEmpty, !name.utf8.contains(0) else {
            throw OAuthError(.notFound, "there is nothing of that name")
        }
        return name
    }
}

extension EnrollmentView: WatchedState {
    public var isFinal: Bool { [.validated, .expired, .cancelled].contains(status) }
}

extension AuthenticationView: WatchedState {
    public var isFinal: Bool { status != .pending }
}

/// A refusal of the back office; what it counts is told as a number.
extension TiqrRefusal: ProtocolRefusal {
    public var json: JSONObject {
        var body: JSONObject = ["error": .string(code), "error_description": .string(description)]
        switch self {
        case .invalidOTP(let left): body["attempts_left"] = .integer(left)
        case .accountBlocked(let minutes): body["duration"] = .integer(minutes)
        case .invalidRequest, .notFound, .conflict, .invalidChallenge: break
        }
        return body
    }
}
