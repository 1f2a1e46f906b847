import Base
import Foundation
import HTTP

/// How people administer, as the configuration says.
struct AdministrationSettings: Sendable {
    /// How old a login may be for what destroys, in seconds.
    let stepUpAge: TimeInterval

    init(_ values: SettingValues) throws {
        stepUpAge = TimeInterval(try values.number(.adminStepUp, in: 30...86_400))
    }
}

extension Setting {
    static let adminStepUp = Setting(
        "admin-step-up", "seconds after a login in which its person may destroy something at the console or the API",
        default: "900")

    static let ofAdministration = [adminStepUp]
}
