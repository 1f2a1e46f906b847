/// Who may read who is in the federation, and what they offer: its listing, and that of OpenID Federation.
public enum ListingPolicy: String, Sendable, CaseIterable {
    /// Everybody.
    case `public`
    /// Who shows a live token of this federation, or authenticates as a client.
    case federation
    /// Nobody: one finds services by protocol discovery alone.
    case closed
}
