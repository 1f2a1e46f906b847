import Accounts
import Administration
import ArgumentParser
import Base
import Foundation

/// Whose a thing is, where it is made or changed.
struct InstitutionOption: ParsableArguments {
    @Option(help: "Institution that it belongs to; an empty text takes it away.") var institution: String?

    var isEmpty: Bool { institution == nil }

    /// Gives it to the institution that was named, if one was; for all that happens in the session's transaction.
    func assign(_ thing: Belonging, _ session: AdminSession) async throws {
        guard let institution else { return }
        try await InstitutionStore(clock: session.clock).assign(
            thing, to: institution.isEmpty ? nil : institution, in: session.executor)
    }

    /// The account as it then is.
    func assign(_ account: Account, _ session: AdminSession) async throws -> Account {
        guard institution != nil else { return account }
        try await assign(.account(account.id), session)
        return try await session.account(account.id.uuidString)
    }
}

/// Whose things a list shows.
struct InstitutionListOption: ParsableArguments {
    @Option(help: "Only what belongs to this institution; an empty text: only what belongs to none.")
    var institution: String?

    /// Within what whoever asks may see.
    func filter(_ session: AdminSession) -> InstitutionFilter {
        InstitutionFilter(institution, visible: session.authority.visible)
    }
}
