import Accounts
import HTTP
import OAuth
import Pages
import Registration

extension HostedService {
    /// operations: apps in which people approve or reject what a service asks.
    public static func operations(
        _ made: OperationsServices, basic: ClientAuthentication?, role: ServiceRole?, login: LoginMethod?, root: String,
        workers: [Worker]
    ) -> HostedService {
        let doors = OperationsEndpoints(powerAuth: made.powerAuth, operations: made.operations, basic: basic)
        return HostedService(
            "operations", model: made, role: role,
            endpoints: role.map { OperationsServiceRoutes.endpoints($0, doors, root: root) } ?? [],
            schemas: OpenAPISchema.operations + OpenAPISchema.phones,
            errors: role.map { OperationsErrors(path: OperationsServiceRoutes.path(of: $0, root: root)) },
            login: login, workers: workers,
            housekeeping: {
                try await doors.operations.tidy()
                try await doors.powerAuth.tidy()
            })
    }
}

extension LoginMethod {
    public static func operations(_ approvals: ApprovalLogin, pushes: PushAllowance) -> LoginMethod {
        LoginMethod(
            factors: [.operations(approvals, pushes: pushes)],
            pages: { web in
                let context = ApprovalRequestContext(approval: approvals, web: web)
                return ApprovalLoginRoutes.endpoints(context) + AccountApprovalRoutes.endpoints(context)
            },
            sections: { account, language in
                [
                    .approvingPhones(
                        try await approvals.phones(of: account.id).compactMap { ApprovingPhone($0) }, language)
                ]
            },
            notices: AccountNotice.ofPhones,
            apps: OpenAPIAppLogin(shown: [("operations:object", "What to show for an approval.")]))
    }
}

extension ServiceProfile {
    /// `root` is the URL of this host's root.
    public static func operations(_ root: String) -> ServiceProfile {
        ServiceProfile(
            id: "operations", name: "Operations", base: root + "/services/operations",
            offers: [.init(OperationsServiceRoutes.scope, path: "/v2")])
    }
}
