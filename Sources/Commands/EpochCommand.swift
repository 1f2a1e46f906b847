import Administration
import ArgumentParser
import Base
import Federation
import Foundation
import TokenTree

/// `epoch bump`: every token issued before ends, everywhere. For after a restored backup.
struct EpochCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "epoch", abstract: "The root of all roots.", subcommands: [Bump.self])

    struct Bump: AdminChange {
        static let configuration = CommandConfiguration(abstract: "End every token issued before now, everywhere.")
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions
        var question: String? { "End every token of this federation?" }

        func perform(_ session: AdminSession) async throws -> JSONObject {
            try await EventRestart.prepare(at: session.now, in: session.executor)
            let epoch = try await Epoch.bump(
                by: session.actor, revocation: session.revocation, at: session.now, in: session.executor)
            return ["epoch": .integer(epoch), "previous": .integer(epoch - 1)]
        }
    }
}
