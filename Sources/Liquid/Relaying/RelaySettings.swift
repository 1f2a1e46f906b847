import Base
import Foundation
import HTTP

/// STUN and TURN servers that the two sides may use, and the secret that is shared with the latter.
public struct RelaySettings: Sendable {
    public let stun: [String]
    public let turn: [String]
    /// Of `static-auth-secret` at coturn, as text; `nil` where there is no TURN.
    public let secret: SecretBytes?
    /// Seconds of credentials.
    public let lifetime: TimeInterval

    public init(stun: [String] = [], turn: [String] = [], secret: SecretBytes? = nil, lifetime: TimeInterval = 3_600) {
        (self.stun, self.turn, self.secret, self.lifetime) = (stun, turn, secret, lifetime)
    }

    public static let none = RelaySettings()
}

/// The settings of that, checked without reading the file.
struct RelayValues: Sendable {
    let stun: [String], turn: [String], secretFile: String?, lifetime: Int

    init(_ values: SettingValues) throws {
        stun = try RelayValues.urls(values, .liquidSTUNURLs, #/stuns?:[A-Za-z0-9.\-\[\]:]{1,255}/#, "stun:HOST:3478")
        turn = try RelayValues.urls(
            values, .liquidTURNURLs, #/turns?:[A-Za-z0-9.\-\[\]:]{1,255}(?:\?transport=(?:udp|tcp))?/#,
            "turn:HOST:3478?transport=udp")
        lifetime = try values.number(.liquidTURNLifetime, in: 60...86_400)
        let file = values[.liquidTURNSecret]
        guard turn.isEmpty == file.isEmpty else {
            throw SettingValues.unacceptable(
                .liquidTURNSecret, "it and \(Setting.liquidTURNURLs.name) are nothing without each other")
        }
        secretFile = file.isEmpty ? nil : file
    }

    /// RFC 7064 and RFC 7065.
    private static func urls(
        _ values: SettingValues, _ setting: Setting, _ shape: Regex<Substring>, _ example: String
    ) throws -> [String] {
        let urls = values.list(setting)
        for url in urls where url.wholeMatch(of: shape) == nil {
            throw SettingValues.unacceptable(setting, "\(url) is no URL such as \(example)")
        }
        return urls
    }

    /// In a process that serves nobody no file is read, and no credentials are given.
    func settings(isServing: Bool) throws -> RelaySettings {
        guard isServing, let secretFile else { return RelaySettings(stun: stun, lifetime: TimeInterval(lifetime)) }
        let text = try SettingValues.read(secretFile, .liquidTURNSecret).trimmingCharacters(in: .whitespacesAndNewlines)
        guard text.utf8.count >= 16 else {
            throw SettingValues.unacceptable(.liquidTURNSecret, "\(secretFile) must hold 16 characters or more")
        }
        return RelaySettings(
            stun: stun, turn: turn, secret: SecretBytes(Array(text.utf8)), lifetime: TimeInterval(lifetime))
    }
}
