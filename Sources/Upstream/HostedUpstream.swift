import Accounts
import Base
import HTTP
import OAuth
import Pages

extension Product {
    /// Login at institutions' own identity providers: no service of the federation, but a way to log in to the IdP, as
    /// soon as an operator has named a provider.
    public static let upstream = Product(
        "upstream", hasRole: false, settings: Setting.ofDirectory, values: { values, _ in try DirectoryValues(values) },
        administration: .upstream, held: HeldData.upstream
    ) { context, directory in
        let service = UpstreamService(context)
        let people = try directory.map { try DirectoryPeople($0, context) }
        return HostedService(
            "upstream", model: ProviderOperator(service), login: context.logsIn ? .upstream(service) : nil,
            passwords: people.map { people in PasswordDirectory { try await people.account($0, $1) } })
    }
}

extension DirectoryPeople {
    convenience init(_ values: DirectoryValues, _ context: Product.Context) throws {
        let directory = try values.directory(isServing: context.http != nil), hasher = context.hasher
        self.init(
            values, database: context.database, clock: context.clock, randomness: context.randomness,
            logger: context.logger, hash: { try await hasher.hash($0) },
            ask: { try await directory.logIn(username: $0, login: $1, password: $2) })
    }
}

extension LoginMethod {
    static func upstream(_ service: UpstreamService) -> LoginMethod {
        LoginMethod(
            factors: [],
            pages: { web in
                let context = UpstreamRequestContext(service: service, web: web)
                return FindingRoutes.endpoints(context) + UpstreamRoutes.endpoints(context)
                    + LinkRoutes.endpoints(context) + LogoutRoutes.endpoints(context)
            },
            sections: { account, language in
                try await AccountSection.institutions(of: account, service, language).map { [$0] } ?? []
            },
            notices: AccountNotice.ofInstitutions,
            elsewhere: LoginElsewhere(
                doors: { place, language in
                    guard try await service.providers.isThereAny(in: service.database) else { return [] }
                    let again = place.isAgain ? "&again=1" : ""
                    return [
                        LoginAlternative(
                            label: language.upstream.button, href: "/login/institution?\(place.query)\(again)")
                    ]
                },
                shortcut: { place, institution in
                    let found = try await service.providers.ofInstitution(
                        institution, domain: nil, in: service.database)
                    guard let first = found.first else { return nil }
                    return found.count == 1
                        ? FindingRoutes.address(first, place)
                        : "/login/institution?\(place.query)&institution=\(FormCodec.encode(institution))"
                },
                farewell: { session, language in
                    guard let id = try await service.links.provider(of: session, in: service.database),
                        let provider = try await service.open(id),
                        let metadata = try? await service.discovery.metadata(of: provider.issuer),
                        let endpoint = metadata.endSessionEndpoint
                    else { return nil }
                    // OpenID Connect RP-Initiated Logout 1.0, 2: who asks; whom, the browser shows there.
                    let query = FormCodec.write([("client_id", provider.clientID)])
                    return PageLink(
                        label: language.upstream.farewell.around(ShownText.tidy(provider.name) ?? "?"),
                        href: endpoint + (endpoint.contains("?") ? "&" : "?") + query)
                },
                remove: { reference, account, actor, transaction in
                    guard let named = UpstreamLink.named(reference),
                        let link = try await service.links.hold(named.subject, at: named.provider, in: transaction),
                        link.account == account
                    else { return }
                    try await service.unlink(link, by: actor, in: transaction)
                }))
    }
}
