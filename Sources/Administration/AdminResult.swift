import Base

/// What a command tells.
public enum AdminResult: Sendable {
    case object(JSONObject)
    case list([JSONValue], next: String?)

    /// One more than `limit` was asked for: whether it came says whether there is a next page.
    public static func page<Item>(
        _ found: [Item], limit: Int, cursor: (Item) -> String, json: (Item) -> JSONValue
    ) -> AdminResult {
        let shown = found.prefix(limit)
        return .list(shown.map(json), next: found.count > limit ? shown.last.map(cursor) : nil)
    }
}

extension JSONObject {
    /// What a change tells: the thing as it became, and whether it was so before.
    public func adding(already: Bool) -> JSONObject {
        var members = self
        members["already"] = .bool(already)
        return members
    }

    /// And how many browser sessions of an account ended with it; `nil` where it is no account's.
    public func adding(browsersEnded: Int?) -> JSONObject {
        var members = self
        if let browsersEnded { members["browsers_ended"] = .integer(browsersEnded) }
        return members
    }
}

/// What blocking or removing a phone does besides, of either kind.
public enum PhoneEnding {
    public static let help = """
        Where an account logs in with it, sessions of that account's browsers end that showed such a phone, and with \
        them what applications got there. Phones, devices and applications with offline_access go on until you revoke \
        them (tokens revoke account:NAME).
        """
}
