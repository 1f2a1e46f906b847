import Base
import Foundation
import HTTP
import HTTPTypes
import Hummingbird
import OAuth
import Registration
import TokenTree
import Vocabulary

/// What the endpoints of the service operations call.
public struct OperationsEndpoints: Sendable {
    public let powerAuth: PowerAuthService
    public let operations: OperationsService
    /// By which relying services may show client id and secret in place of a token; `nil` where they may not.
    let basic: ClientAuthentication?

    public init(powerAuth: PowerAuthService, operations: OperationsService, basic: ClientAuthentication? = nil) {
        (self.powerAuth, self.operations, self.basic) = (powerAuth, operations, basic)
    }
}

/// operations as a service of the federation (design/api.md and design/backoffice.md, operations): the phone's side
/// under `/pa` and `/api`, the back office under `/v2`.
enum OperationsServiceRoutes {
    static let scope = "com.wultra.operations"

    /// `root` is the URL of this host's root.
    static func endpoints(_ role: ServiceRole, _ doors: OperationsEndpoints, root: String) -> [Endpoint] {
        let path = path(of: role, root: root),
            operationsContext = OperationsRequestContext(role: role, doors: doors, root: root), office = path + "/v2"
        return OperationsPhoneRoutes.endpoints(doors, path: path)
            + OperationsApplicationRoutes.endpoints(operationsContext, path: office)
            + OperationsApplicationSettingRoutes.endpoints(operationsContext, path: office)
            + OperationsTemplateRoutes.endpoints(operationsContext, path: office)
            + OperationsRegistrationRoutes.endpoints(operationsContext, path: office)
            + OperationsApprovalRoutes.endpoints(operationsContext, path: office)
            + OperationsNoticeRoutes.endpoints(operationsContext, path: office)
    }

    /// The service's base below this host's root.
    static func path(of role: ServiceRole, root: String) -> String { String(role.realm.base.dropFirst(root.count)) }
}

/// Where the back office's requests are let in.
struct OperationsRequestContext: Sendable {
    let role: ServiceRole
    let doors: OperationsEndpoints
    let root: String

    /// The caller whose token is for this service; see `ServiceRole.caller`. `machinesOnly` is the † of backoffice.md:
    /// apps are refused with 403.
    func caller(
        _ request: Request, _ context: RoutedContext, machinesOnly: Bool = false
    ) async throws -> OperationsCaller {
        let shown = request.presented(root, context)
        if let basic = doors.basic, shown.credentials?.scheme == "basic" { return try await client(shown, basic) }
        switch try await role.caller(scopes: [OperationsServiceRoutes.scope], shown, machinesOnly: machinesOnly) {
        case .machine(let client, let holder):
            return .machine(
                client: client, below: holder.standing,
                actor: AuditActor(name: "client:\(client)", origin: shown.origin))
        case .app(let person, let holder): return .app(person: person, token: holder.token, actor: holder.actor(shown))
        }
    }

    /// A client that could get itself a token for this service, by its secret alone.
    private func client(_ shown: PresentedRequest, _ basic: ClientAuthentication) async throws -> OperationsCaller {
        let unknown = OAuthError(.invalidClient, "show client id and secret")
        guard let named = try await basic.authenticate(shown, Vocabulary.OAuthParameters([:])) else { throw unknown }
        let lineage = try await role.standing(of: named.id)
        // Once more: a client that was deleted before its node was opened would leave what it begins below a node that
        // nobody revokes.
        guard let client = try await basic.authenticate(shown, Vocabulary.OAuthParameters([:])) else { throw unknown }
        guard client.grantTypes.contains(GrantType.clientCredentials.rawValue),
            Scope(client.scope)?.contains(OperationsServiceRoutes.scope) == true
        else {
            throw OAuthError(
                .insufficientScope,
                "this needs a client of scope \(OperationsServiceRoutes.scope) with the grant client_credentials",
                members: ["scope": OperationsServiceRoutes.scope])
        }
        return .machine(
            client: client.id, below: lineage, actor: AuditActor(name: "client:\(client.id)", origin: shown.origin))
    }

    /// A part of the path, as its sender meant it: names of templates and keys of versions hold letters that a path has
    /// not.
    func name(_ context: RoutedContext, _ parameter: String = "id") throws -> String {
        guard let name = context.parameters.get(parameter)?.removingPercentEncoding, !name.isEmpty,
            !name.utf8.contains(0)
        else {
            throw OAuthError(.notFound, "there is nothing of that name")
        }
        return name
    }

    /// `mayBeAbsent`: no body at all is no members.
    func json(_ request: Request, mayBeAbsent: Bool = false) async throws -> JSONValue {
        guard mayBeAbsent, BodyReading.mediaType(request) == nil else { return try await BodyReading.json(request) }
        guard try await BodyReading.bytes(request).isEmpty else {
            throw OAuthError(.unsupportedMediaType, "send application/json")
        }
        return .object([:])
    }

    /// Where something made can be read.
    func created(_ json: JSONValue, at place: String) -> Response {
        Answer.json(json, status: .created, headers: [.location: "\(role.realm.base)/v2/\(place)"])
    }
}
