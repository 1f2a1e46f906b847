import Administration
import ArgumentParser
import Base
import Foundation
import HTTP
import Server

/// `pando config show`: every setting, its value and where it came from. `pando config check`: whether a server would
/// start with them.
struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Look at the configuration.", subcommands: [Show.self, Check.self])

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print every setting, where it came from, and what it means; secrets hidden.")

        @OptionGroup var options: ConfigurationOptions
        @Flag(help: "As JSON.") var json = false

        func run() async throws {
            let values = try await options.values()
            for warning in values.warnings { FileHandle.standardError.write(Data("pando: \(warning)\n".utf8)) }
            let rows = values.shown
            if json {
                print(
                    JSONValue.object(
                        JSONObject(
                            rows.map {
                                ($0.setting.name, .object(["value": .string($0.value), "origin": .string($0.origin)]))
                            })
                    ).prettyText)
            } else {
                print(
                    Table(
                        ["setting", "value", "from", "meaning"],
                        rows.map { [$0.setting.name, $0.value, $0.origin, $0.setting.meaning] }
                    ).text)
            }
        }
    }
    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Say whether a server would start with these settings; leaves 2 with the reason when not.",
            discussion: """
                Reads every file that the settings name, as a server does when it starts: run it as the server's user. \
                Neither the database nor anybody else is asked: ports that are taken and migrations that are pending \
                are left to the start.
                """)

        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let settings = try await Bootstrap.settings(options)
            for warning in settings.warnings { FileHandle.standardError.write(Data("pando: \(warning)\n".utf8)) }
            try await Bootstrap.reporting {
                try await StartCheck(settings).run()
                let elsewhere = try settings.servicesElsewhere()
                print("a server would start as \(settings.root)")
                if let elsewhere { print(elsewhere) }
            }
        }
    }
}
