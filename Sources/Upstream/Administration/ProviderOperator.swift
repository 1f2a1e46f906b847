import Administration
import Base
import Database

/// What the command line calls.
final class ProviderOperator: Sendable {
    let service: UpstreamService

    init(_ service: UpstreamService) { self.service = service }

    /// How a provider answers: its metadata, and whether its keys are there. What a login would be refused for is said
    /// in words.
    func check(_ provider: UpstreamProvider) async throws -> JSONObject {
        var report: JSONObject = ["id": .string(provider.id), "issuer": .string(provider.issuer)]
        do {
            let metadata = try await service.discovery.metadata(of: provider.issuer, isNew: true)
            let problems = try await problems(provider, metadata)
            report["ok"] = .bool(problems.isEmpty)
            report["problems"] = JSONValue(strings: problems)
            report["authorization_endpoint"] = .string(metadata.authorizationEndpoint)
            report["token_endpoint"] = .string(metadata.tokenEndpoint)
            report["jwks_uri"] = .string(metadata.jwksURI)
            report["pushed_requests"] = .bool(metadata.pushedRequestEndpoint != nil)
            report["names_itself"] = .bool(metadata.namesItself)
            report["backchannel_logout"] = .bool(metadata.logsOutByBackChannel)
            report["acr_values"] = JSONValue(strings: metadata.acrValues)
        } catch let refusal as UpstreamRefusal {
            report["ok"] = false
            report["problems"] = JSONValue(strings: [refusal.check])
        }
        return report
    }

    private func problems(
        _ provider: UpstreamProvider, _ metadata: ProviderMetadata
    ) async throws -> [String] {
        var problems: [String] = []
        if !metadata.authMethods.contains(provider.authMethod.rawValue) {
            problems.append("the provider does not take \(provider.authMethod.rawValue)")
        }
        if provider.asksUserInfo, metadata.userInfoEndpoint == nil { problems.append("it has no userinfo_endpoint") }
        if provider.domains.isEmpty {
            problems.append("the institution has no domains, so that no address and no scoped attribute is believed")
        }
        do {
            let key = try await service.remoteKeys.key(
                kid: Optional.none, algorithm: metadata.algorithms.first?.rawValue ?? "RS256", from: metadata.jwksURI)
            if key.isEmpty { problems.append("no key for the algorithms of its ID tokens is published") }
        } catch {
            problems.append("its keys at \(metadata.jwksURI) cannot be read")
        }
        return problems
    }
}

extension AdminSession {
    var providers: ProviderOperator { get throws { try model(ProviderOperator.self, role: "idp") } }

    func provider(_ id: String) async throws -> UpstreamProvider {
        guard let found = try await providers.service.providers.find(id, in: executor) else {
            throw AdminFailure(.notFound, "there is no provider \(id)")
        }
        return found
    }
}
