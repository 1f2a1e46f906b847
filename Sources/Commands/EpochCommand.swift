import Administration
import ArgumentParser
import Base
import Federation
import Foundation
import TokenTree

/// `epoch bump`: every token issued before ends, everywhere. For after a restored backup. `show` and `settle`: that the
/// database went back (`Setback`).
struct EpochCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "epoch", abstract: "The root of all roots.", subcommands: [Show.self, Bump.self, Settle.self])

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
    struct Show: AdminQuery {
        static let configuration = CommandConfiguration(
            abstract: "Tell the epoch, and whether the database went back to an earlier state.")
        @OptionGroup var common: AdminOptions

        func answer(_ session: AdminSession) async throws -> AdminResult {
            let setback = try await Setback.standing(in: session.executor)
            return .object([
                "epoch": .integer(try await Epoch.number(in: session.executor)),
                "setback": setback.map { .object($0.json) } ?? .null,
            ])
        }
    }

    struct Settle: AdminChange {
        static let configuration = CommandConfiguration(
            abstract: "Say that what was lost is made good, where the database went back and no token is to end.")
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions
        var question: String? { "Was all revoked again that was revoked in the time that is lost?" }

        func perform(_ session: AdminSession) async throws -> JSONObject {
            guard let setback = try await Setback.settle(in: session.executor) else {
                throw AdminFailure(.conflict, "nothing says that the database went back")
            }
            let entry = AuditEntry(
                actor: session.actor, action: "epoch.settle", node: Ancestor.epoch.label, detail: setback.json)
            try await AuditTrail.write(entry, at: session.now, in: session.executor)
            return ["setback": .object(setback.json)]
        }
    }
}
