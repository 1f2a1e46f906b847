/// What a process tells of the federation's services: one for all products of it that do, so that they share what is
/// remembered.
public struct PublishedIndex: Sendable {
    public let query: ProtocolQuery
    public let signer: SignedDiscovery
    /// For the listing; discovery has doors of its own.
    public let listing: ListingPolicy

    public init(query: ProtocolQuery, signer: SignedDiscovery, listing: ListingPolicy) {
        (self.query, self.signer, self.listing) = (query, signer, listing)
    }
}
