import Base

/// POST /v2/callbacks (design/backoffice.md, "Callbacks").
struct CallbackDraft: Sendable {
    static let kinds = ["operation", "registration"]

    let url: String
    let events: [String]
    /// Members of `data` that are told beside id and status; all but what the operation is about without.
    let attributes: [String]?

    /// `https`, or `http` to this very host where the server itself has no TLS.
    init(_ json: JSONValue, allowsLoopback: Bool) throws(BackOfficeRefusal) {
        let members = try BackOfficeMembers(json)
        let text = try members.required("url", limit: 2_048)
        guard let address = WebAddress(text), !text.utf8.contains(UInt8(ascii: "#")),
            address.scheme == "https" || (allowsLoopback && address.isLoopback)
        else {
            throw .request("url is an https URL without user and fragment")
        }
        url = text
        events = try members.strings("events") ?? CallbackDraft.kinds
        guard !events.isEmpty, Set(events).count == events.count,
            events.allSatisfy({ CallbackDraft.kinds.contains($0) })
        else {
            throw .request("events holds operation, registration or both")
        }
        attributes = try members.strings("attributes")
        if let attributes {
            guard attributes.count <= 64, attributes.allSatisfy(Placeholders.isName) else {
                throw .request("attributes holds names of members")
            }
        }
    }
}
