import Base

/// What NOTIFY carries of one message: itself, or, where that is too long, which body to read. Either way it has its
/// place in what its sender says, so that whoever has no use for it knows that none is missing.
struct BusNotice: Sendable, Equatable {
    enum Content: Sendable, Equatable {
        /// `nil`: another version of this program says it, and none is missing all the same.
        case message(BusMessage?)
        /// Of the body; it is about `room`, where it is nothing to those who have no such room.
        case body(id: String, room: String?)
    }

    /// A notice that begins so names a body: its id, who sent it, its number, whom to, and of which room, with blanks
    /// between.
    private static let mark: Character = "@"

    let from: String
    let number: Int
    /// `nil`: all.
    let to: String?
    let content: Content

    /// The notice of a message whose body has this id.
    static func text(of message: BusMessage, body id: String) -> String {
        "\(mark)\(id) \(message.from) \(message.number) \(message.to ?? "") \(message.body.room?.key ?? "")"
    }

    /// `nil` for what is none.
    init?(_ notice: String) {
        guard notice.first == BusNotice.mark else {
            guard let json = try? JSONReader.read(notice.utf8), let from = json["f"]?.string,
                let number = json["n"]?.integer
            else { return nil }
            (self.from, self.number, to, content) = (from, number, json["to"]?.string, .message(BusMessage(json)))
            return
        }
        let parts = notice.dropFirst().split(separator: " ", omittingEmptySubsequences: false).map {
            $0.isEmpty ? nil : String($0)
        }
        guard parts.count == 5, let id = parts[0], let from = parts[1], let number = parts[2].flatMap({ Int($0) })
        else { return nil }
        (self.from, self.number, to, content) = (from, number, parts[3], .body(id: id, room: parts[4]))
    }
}
