import Base

/// Who is who in the bridge (OpenID Federation 1.0, 1.2): the issuer is the trust anchor, and
/// `ISSUER/federation/entity/ID` stands for the service ID.
struct EntityIdentifiers: Sendable {
    static let path = "/federation/entity/"

    let anchor: String

    func of(_ service: String) -> String { anchor + EntityIdentifiers.path + service }

    /// The id of the service that an entity stands for, compared byte by byte; `nil` for every other identifier.
    func service(_ entity: String) -> String? {
        let prefix = anchor + EntityIdentifiers.path
        guard entity.utf8.starts(with: prefix.utf8) else { return nil }
        let id = String(decoding: entity.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
        return EntityIdentifiers.isService(id) ? id : nil
    }

    /// Whether it can be the id of a service at all.
    static func isService(_ id: String) -> Bool {
        (1...63).contains(id.utf8.count)
            && id.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}
