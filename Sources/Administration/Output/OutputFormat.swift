import ArgumentParser

/// How a result is told.
public enum OutputFormat: String, Sendable, CaseIterable, ExpressibleByArgument {
    /// Columns that fit the terminal; times as how long ago.
    case table
    /// All columns, exactly.
    case wide
    /// One JSON value.
    case json
    /// The same value as YAML.
    case yaml
    /// The names alone, one a line, as commands take them.
    case name
}
