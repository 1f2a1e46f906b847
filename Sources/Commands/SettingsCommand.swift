import Administration
import ArgumentParser
import Base
import Server

/// `config show`: the settings of the process that answers. Those of one that would start are told by `pando config
/// show`, which asks no database.
struct SettingsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Settings as they hold.", subcommands: [Show.self])

    struct Show: AdminQuery {
        static let configuration = CommandConfiguration(
            abstract: "Show every setting, where it came from, and what it means; secrets hidden.",
            discussion: """
                Those of the process that answers; on the command line without --server, of the command itself.
                """)
        @OptionGroup var common: AdminOptions

        func answer(_ session: AdminSession) async throws -> AdminResult {
            .list(
                try session.composition.settings.values.shown.map {
                    [
                        "setting": .string($0.setting.name), "value": .string($0.value),
                        "origin": .string($0.origin), "meaning": .string($0.setting.meaning),
                    ]
                }, next: nil)
        }
    }
}
