import Foundation
import HTTP

/// How services hear of events, in seconds.
struct EventSettings: Sendable {
    let kept: TimeInterval
    let heartbeat: TimeInterval
    let patience: TimeInterval
    let failClosed: TimeInterval
    /// The most calls a second, to one service.
    let pace: Int

    init(_ values: SettingValues) throws {
        // Who checks tokens by itself begins with what ended within the life of a token (docs/local-checks.md).
        kept = TimeInterval(try values.number(.eventsKept, in: 7_200...31_536_000))
        heartbeat = TimeInterval(try values.number(.eventsHeartbeat, in: 0...86_400))
        patience = TimeInterval(try values.number(.eventsPatience, in: 60...31_536_000))
        failClosed = TimeInterval(try values.number(.failClosed, in: 0...31_536_000))
        pace = try values.number(.eventsPace, in: 1...1_000)
        guard failClosed == 0 || heartbeat > 0 && failClosed > heartbeat else {
            throw SettingValues.unacceptable(
                .failClosed, "must be more than events-heartbeat, without which nothing is heard for a long time")
        }
    }
}

extension Setting {
    static let eventsKept = Setting(
        "events-kept", "seconds for which events are kept that were taken or given up", default: "2592000")
    static let eventsHeartbeat = Setting(
        "events-heartbeat", "seconds between two heartbeats to a service; 0 sends none", default: "60")
    static let eventsPatience = Setting(
        "events-patience", "seconds after which an event that no one has taken is given up", default: "604800")
    static let eventsPace = Setting(
        "events-pace", "most calls a second to a service that is called for each assertion (RFC 7009)", default: "10")
    static let failClosed = Setting(
        "fail-closed",
        "seconds without an event or heartbeat after which built-in services refuse tokens; 0 never", default: "0")

    static let ofEvents = [eventsKept, eventsHeartbeat, eventsPatience, eventsPace, failClosed]
}
