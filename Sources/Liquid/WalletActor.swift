import TokenTree

extension AuditActor {
    /// A wallet, by its address.
    static func wallet(_ address: String, origin: String?) -> AuditActor {
        AuditActor(name: "wallet:\(address)", origin: origin)
    }
}
