import Foundation
import HTTP
import Registration

/// After how long housekeeping ends what nobody uses (docs/operate.md, "What leaves each table"), in seconds; `nil` for
/// never.
struct GrowthSettings: Sendable {
    let instancesUnused: TimeInterval?
    let instancesIdle: TimeInterval?
    let clientsUnused: TimeInterval?

    init(_ values: SettingValues) throws {
        func days(_ setting: Setting) throws -> TimeInterval? {
            let days = try values.number(setting, in: 0...3_650)
            return days == 0 ? nil : TimeInterval(days) * 86_400
        }
        (instancesUnused, clientsUnused) = (try days(.instancesUnused), try days(.clientsUnused))
        instancesIdle = try days(.instancesIdle)
        if let instancesIdle, instancesIdle < 2 * InstancePurge.notice {
            throw SettingValues.unacceptable(
                .instancesIdle, "must be 0, or 28 days at least: people are told 14 days before")
        }
    }
}

extension Setting {
    static let instancesUnused = Setting(
        "instances-unused",
        "days after which an app instance in which nobody ever logged in is disconnected; 0 never", default: "90")
    static let instancesIdle = Setting(
        "instances-idle",
        """
        days after which an app instance that its person does not use is disconnected, who is told by mail 14 days \
        before; 0 never
        """,
        default: "0")
    static let clientsUnused = Setting(
        "clients-unused",
        "days after which a client that registered itself and was never used is deleted; 0 never", default: "90")

    static let ofGrowth = [instancesUnused, instancesIdle, clientsUnused]
}
