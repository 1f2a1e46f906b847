import ArgumentParser

/// Flags that every command has. The server reads what they name.
public struct ConfigurationOptions: ParsableArguments {
    /// Names of settings, for completion. ArgumentParser makes options itself, so no initialiser can be handed them.
    @TaskLocal public static var settings: [String] = []

    @Option(
        name: .long, help: "Configuration file, JSON or YAML.", completion: .file(extensions: ["json", "yaml", "yml"]))
    public var config: String?

    @Option(
        name: .long,
        help: ArgumentHelp("One setting, e.g. --set port=8081. See `pando config show`.", valueName: "key=value"),
        completion: .list(ConfigurationOptions.settings.map { $0 + "=" }))
    public var set: [String] = []

    public init() {}
}
