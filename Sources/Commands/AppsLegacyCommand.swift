import Administration
import ArgumentParser
import Base
import Registration

/// `apps legacy`: whether an app is of the first generation, whose registrations leave out what the device says of
/// itself.
struct AppsLegacyCommand: AdminChange {
    static let configuration = CommandConfiguration(
        commandName: "legacy", abstract: "Let devices of an app register without saying what they are, or not.")

    static var route: AdminRoute? { AdminRoute("POST", "/apps/{app}/legacy") }

    enum Answer: String, ExpressibleByArgument, CaseIterable { case yes, no }

    @Argument var app: String
    @Argument(help: "yes or no.") var answer: Answer
    @OptionGroup var change: ChangeOptions
    @OptionGroup var common: AdminOptions

    func perform(_ session: AdminSession) async throws -> JSONObject {
        let apps = AppStore(clock: session.clock), isLegacy = answer == .yes
        guard let known = try await apps.app(app, in: session.executor),
            let marked = try await apps.mark(app, legacy: isLegacy, in: session.executor)
        else { throw AdminFailure(.notFound, "there is no app \(app)") }
        try await session.audit("apps.legacy", node: "app:\(app)")
        var result = marked.json.object ?? [:]
        result["already"] = .bool(known.isLegacy == isLegacy)
        return result
    }
}
