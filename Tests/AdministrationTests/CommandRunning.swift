import Administration
import Base
import Commands
import TestSupport
import Testing
import TokenTree

/// Commands by their words, as the console runs them.
extension TestServer {
    func administer(
        _ words: String, _ arguments: JSONObject = [:], who: AdminAuthority = .operatorOfDatabase
    ) async throws -> AdminResult {
        let catalog = AdminCatalog.ofServer
        let entry = try #require(catalog.entry(words.split(separator: " ").map(String.init)))
        let session = parts.composition.administrationSession(by: AuditActor(name: "admin:root"), who: who)
        return try await catalog.run(entry, arguments, in: session)
    }

    func object(_ words: String, _ arguments: JSONObject = [:]) async throws -> JSONObject {
        guard case .object(let object) = try await administer(words, arguments) else { return [:] }
        return object
    }

    func items(_ words: String, _ arguments: JSONObject = [:]) async throws -> [JSONValue] {
        guard case .list(let items, _) = try await administer(words, arguments) else { return [] }
        return items
    }

    /// The code by which a command refuses; `nil` where it does not.
    func refusal(_ words: String, _ arguments: JSONObject = [:]) async throws -> AdminFailure.Code? {
        do {
            _ = try await administer(words, arguments)
            return nil
        } catch let failure as AdminFailure {
            return failure.code
        }
    }
}
