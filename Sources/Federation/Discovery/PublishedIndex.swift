import Foundation

/// What a process tells of the federation's services: one for all products of it that do, so that they share what is
/// remembered.
public struct PublishedIndex: Sendable {
    public let query: ProtocolQuery
    public let signer: SignedDiscovery
    /// For the listing; discovery has doors of its own.
    public let listing: ListingPolicy
    /// Seconds between two questions, where it is the copy of another server's list.
    public let copyInterval: TimeInterval

    public init(
        query: ProtocolQuery, signer: SignedDiscovery, listing: ListingPolicy, copyInterval: TimeInterval = 10
    ) {
        (self.query, self.signer, self.listing, self.copyInterval) = (query, signer, listing, copyInterval)
    }
}
