import Accounts
import Administration
import ArgumentParser
import Base

/// `institutions …`: what people, services, apps and clients belong to.
struct InstitutionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "institutions", abstract: "What people, services, apps and clients belong to.",
        subcommands: [Create.self, List.self, Show.self, Update.self, Delete.self])

    struct Create: AdminChange {
        static let configuration = CommandConfiguration(
            abstract: "Make an institution.",
            discussion: "pando admin institutions create uni.example --name 'University' --domain uni.example")
        @Argument(help: "Lower-case letters, digits, dots and hyphens, e.g. its host name.") var institution: String
        @Option(help: "Its name for people.") var name: String
        @Option(help: "A host name of its own, with all below it; may be repeated.") var domain: [String] = []
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let made = try await session.institutions.create(
                institution, name: name, domains: domain, in: session.executor)
            try await session.audit("institutions.create", node: "institution:\(made.id)")
            return try await InstitutionsCommand.describe(made, session)
        }
    }

    struct List: AdminQuery {
        static let configuration = CommandConfiguration(abstract: "List institutions.")
        @OptionGroup var list: ListOptions
        @OptionGroup var common: AdminOptions

        func answer(_ session: AdminSession) async throws -> AdminResult {
            let found = try await session.institutions.list(
                visible: session.authority.visible?.institutions, after: list.after, limit: list.limit + 1,
                in: session.executor)
            return .page(found, limit: list.limit, cursor: \.id, json: { .object($0.json) })
        }
    }

    struct Show: AdminQuery {
        static let configuration = CommandConfiguration(
            abstract: "Show an institution, and how much belongs to it.")
        @Argument(help: "Its id.") var institution: String
        @OptionGroup var common: AdminOptions

        func answer(_ session: AdminSession) async throws -> AdminResult {
            let found = try await session.institution(institution)
            return .object(try await InstitutionsCommand.describe(found, session))
        }
    }

    struct Update: AdminChange {
        static let configuration = CommandConfiguration(abstract: "Change an institution's name or domains.")
        @Argument(help: "Its id.") var institution: String
        @Option(help: "Its name for people.") var name: String?
        @Option(help: "A host name of its own beside those before; may be repeated.") var domain: [String] = []
        @Flag(help: "Take its domains away; with --domain, it has those alone.") var noDomains = false
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions

        func validate() throws {
            guard name != nil || !domain.isEmpty || noDomains else {
                throw ValidationError("name what is to change: --name, --domain or --no-domains")
            }
        }

        func perform(_ session: AdminSession) async throws -> JSONObject {
            // Held, as domains are added to those that are there.
            let known = try await session.institution(institution, locking: true)
            let domains = domain.isEmpty && !noDomains ? nil : (noDomains ? [] : known.domains) + domain
            guard
                let changed = try await session.institutions.update(
                    known.id, name: name, domains: domains, in: session.executor)
            else { throw AdminFailure.noInstitution(institution) }
            try await session.audit("institutions.update", node: "institution:\(known.id)")
            return try await InstitutionsCommand.describe(changed, session)
        }
    }

    struct Delete: AdminChange {
        static let configuration = CommandConfiguration(
            abstract: "Delete an institution to which nothing belongs, and the roles in it.")
        @Argument(help: "Its id.") var institution: String
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions
        var question: String? { "Delete the institution \(institution), and the roles in it?" }

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let known = try await session.institution(institution)
            let result = try await InstitutionsCommand.describe(known, session)
            guard try await session.institutions.delete(known.id, in: session.executor) else {
                throw AdminFailure.noInstitution(institution)
            }
            try await session.audit("institutions.delete", node: "institution:\(known.id)")
            return result
        }
    }

    private static func describe(_ institution: Institution, _ session: AdminSession) async throws -> JSONObject {
        var described = institution.json
        let counts = try await session.institutions.counts(institution.id, in: session.executor)
        for (name, value) in counts.json { described[name] = value }
        return described
    }
}

extension AdminSession {
    var institutions: InstitutionStore { InstitutionStore(clock: clock) }

    func institution(_ id: String, locking: Bool = false) async throws -> Institution {
        guard let found = try await institutions.find(id, locking: locking, in: executor) else {
            throw AdminFailure.noInstitution(id)
        }
        return found
    }
}
