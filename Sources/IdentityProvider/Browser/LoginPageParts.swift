import HTTP
import Pages

/// What the page with the password has of the other methods.
struct LoginPageParts: Sendable {
    /// What it asks the browser for itself.
    let form: LoginMethod.PasswordPagePart?
    let elsewhere: [LoginElsewhere]

    func doors(_ place: LoginPlace, _ language: Language) async throws -> [LoginAlternative] {
        var doors: [LoginAlternative] = []
        for method in elsewhere { doors += try await method.doors(place, language) }
        return doors
    }

    /// Where to go in place of the page; `nil` where nobody knows the institution.
    func shortcut(_ place: LoginPlace, _ institution: String) async throws -> String? {
        for method in elsewhere {
            if let path = try await method.shortcut(place, institution) { return path }
        }
        return nil
    }

    /// A link that logs out elsewhere too.
    func farewell(_ session: String, _ language: Language) async throws -> PageLink? {
        for method in elsewhere {
            if let link = try await method.farewell(session, language) { return link }
        }
        return nil
    }
}
