import Base
import Configuration
import Foundation
import HTTP
import SystemPackage

/// Where each value came from: defaults < file < environment < flags (decisions.md, The server 2).
public struct ConfigurationValues: Sendable {
    public struct Value: Sendable { let text: String, origin: String }

    private var values: [Setting: Value]

    /// What was found in the environment and is not read, in words; never a value, which may be a secret.
    public let warnings: [String]

    public subscript(key: Setting) -> String { values[key]?.text ?? key.fallback }

    var settings: SettingValues { SettingValues(values.mapValues(\.text)) }

    public func origin(of key: Setting) -> String { values[key]?.origin ?? "default" }

    /// A setting as it holds, as people may see it.
    public struct Shown: Sendable { public let setting: Setting, value: String, origin: String }

    /// What `config show` tells, wherever it is asked: of a secret that there is one.
    public var shown: [Shown] {
        Setting.all.map { key in
            let text = self[key]
            let value = key.isSecret && !text.isEmpty ? "(hidden)" : ConfigurationValues.covered(text)
            return Shown(setting: key, value: value, origin: origin(of: key))
        }
    }

    /// Userinfo and query of a URL may be a key to what is there.
    private static func covered(_ text: String) -> String {
        text.replacing(#/:\/\/[^\s,\/?#]*@/#, with: "://(hidden)@")
            .replacing(#/(:\/\/[^\s,?#]*\?)[^\s,#]+/#) { "\($0.1)(hidden)" }
    }

    /// An unknown key in the file or among the flags stops here, with its name. In the environment it is a warning:
    /// others write there too. Kubernetes puts `PANDO_SERVICE_HOST`, `PANDO_PORT=tcp://…` and `PANDO_PORT_8080_TCP…`
    /// into every pod beside a Service named pando.
    public init(
        flags: [String: String], environment: [String: String] = ProcessInfo.processInfo.environment
    ) async throws {
        var values: [Setting: Value] = [:], warnings: [String] = []
        let file = flags["config"] ?? environment["PANDO_CONFIG"]
        if let file {
            for (key, text) in try await ConfigurationValues.read(file) {
                values[key] = Value(text: text, origin: file)
            }
        }
        let named = environment.filter { $0.key.hasPrefix("PANDO_") && !ConfigurationValues.others.contains($0.key) }
        for (name, text) in named.sorted(by: { $0.key < $1.key }) {
            guard let key = Setting.all.first(where: { $0.environmentName == name }) else {
                let nearest = NearestName.of(name, among: Setting.all.map(\.environmentName))
                warnings.append("\(name) in the environment is no setting and is not read; the nearest is \(nearest)")
                continue
            }
            guard !ConfigurationValues.isServiceLink(text) else {
                warnings.append(
                    """
                    \(name) in the environment is a service's address, as Kubernetes sets it; it is not read as \
                    \(key.name)
                    """
                )
                continue
            }
            values[key] = Value(text: text, origin: name)
        }
        for (name, text) in flags where name != "config" {
            guard let key = Setting.named(name) else {
                throw Settings.Unacceptable(
                    description: "--set \(name)=… is no setting\(ConfigurationValues.instead(of: name))")
            }
            values[key] = Value(text: text, origin: "flag")
        }
        (self.values, self.warnings) = (values, warnings)
    }

    /// Variables of the name that are not settings: of the acceptance tests, the demo and the tests.
    private static let others: Set<String> = [
        "PANDO_CONFIG", "PANDO_ISSUER_TEST", "PANDO_TEST_DATABASE", "PANDO_ADMIN", "PANDO_SERVER", "PANDO_METRICS",
        "PANDO_EPOCH",
        "PANDO_CLIENT",
        "PANDO_TIQR_BASE", "PANDO_OPERATIONS_BASE", "PANDO_OPERATIONS_CLIENT", "PANDO_LIQUID_ORIGIN",
    ]

    /// `tcp://10.0.0.1:8080`, as links of containers are told; no setting is such a URL.
    private static func isServiceLink(_ text: String) -> Bool {
        text.wholeMatch(of: #/(tcp|udp|sctp):\/\/\S+:[0-9]+/#) != nil
    }

    private static func instead(of name: String) -> String {
        let nearest = NearestName.of(name, among: Setting.all.map(\.name))
        return "; the nearest is \(nearest), and `pando config show` lists them"
    }

    /// Gives a value to a key that nobody has set: what `pando dev` does.
    public mutating func offer(_ text: String, for key: Setting, origin: String) {
        if values[key] == nil { values[key] = Value(text: text, origin: origin) }
    }

    /// JSON or YAML by the file's name. swift-configuration reads the values; the names are checked here, since it
    /// ignores unknown ones.
    private static func read(_ path: String) async throws -> [(Setting, String)] {
        let isYAML = path.hasSuffix(".yaml") || path.hasSuffix(".yml")
        let provider: any ConfigProvider =
            isYAML
            ? try await FileProvider<YAMLSnapshot>(filePath: FilePath(path))
            : try await FileProvider<JSONSnapshot>(filePath: FilePath(path))
        let reader = ConfigReader(provider: provider)
        try checkNames(path, isYAML: isYAML)
        return Setting.all.compactMap { key in text(of: key, in: reader).map { (key, $0) } }
    }

    /// Numbers, truths and lists may stand in a file as such.
    private static func text(of key: Setting, in reader: ConfigReader) -> String? {
        let name = ConfigKey([key.name])
        if let text = reader.string(forKey: name) { return text }
        if let number = reader.int(forKey: name) { return String(number) }
        if let flag = reader.bool(forKey: name) { return flag ? "true" : "false" }
        return reader.stringArray(forKey: name)?.joined(separator: ",")
    }

    private static func checkNames(_ path: String, isYAML: Bool) throws {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let names: [String]
        if isYAML {
            names = text.split(separator: "\n").filter { $0.first?.isLetter == true }.compactMap {
                $0.split(separator: ":").first.map(String.init)
            }
        } else {
            names =
                (try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]).map { Array($0.keys) } ?? []
        }
        if let unknown = names.first(where: { Setting.named($0) == nil }) {
            throw Settings.Unacceptable(description: "\(path): \(unknown) is no setting\(instead(of: unknown))")
        }
    }
}
