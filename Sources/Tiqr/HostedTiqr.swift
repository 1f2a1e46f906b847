import Accounts
import HTTP
import OAuth
import Pages

extension HostedService {
    /// tiqr: phones that log people in by scanning a code.
    public static func tiqr(
        _ tiqr: TiqrService, role: ServiceRole?, login: LoginMethod?, root: String, workers: [Worker] = []
    ) -> HostedService {
        HostedService(
            "tiqr", model: tiqr, role: role, endpoints: role.map { TiqrRoutes.endpoints($0, tiqr, root: root) } ?? [],
            schemas: OpenAPISchema.tiqr, login: login, workers: workers,
            housekeeping: { try await tiqr.tidy() })
    }
}

extension LoginMethod {
    public static func tiqr(_ phones: TiqrLogin, pushes: PushAllowance) -> LoginMethod {
        LoginMethod(
            factors: [.tiqr(phones, pushes: pushes)],
            pages: { web in
                let context = PhoneRequestContext(tiqr: phones, web: web)
                return TiqrLoginRoutes.endpoints(context) + AccountPhoneRoutes.endpoints(context)
            },
            sections: { account, language in
                [.loginPhones(try await phones.phones(of: account.id).map { LoginPhone($0) }, language)]
            },
            notices: AccountNotice.ofPhones,
            apps: OpenAPIAppLogin(
                asked: [("otp", "The typed code, for `tiqr`.")], shown: [("tiqr:object", "What to show for tiqr.")]))
    }
}

extension ServiceProfile {
    /// `root` is the URL of this host's root.
    public static func tiqr(_ root: String) -> ServiceProfile {
        ServiceProfile(
            id: "tiqr", name: "tiqr", base: root + "/services/tiqr",
            offers: [.init(TiqrRoutes.enroll, path: "/enrollments"), .init(TiqrRoutes.auth, path: "/authentications")])
    }
}
