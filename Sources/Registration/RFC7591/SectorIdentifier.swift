import Base
import Vocabulary

/// Whom pairwise subjects are made for (OpenID Connect Core, 8.1; OpenID Connect Registration, 5).
enum SectorIdentifier {
    /// The host of `sector_identifier_uri`, or the one that all redirect URIs share.
    ///
    /// A loopback address or private-use scheme is anybody's and so no sector: a client that has none but such, or no redirect URI at all, is
    /// a sector of its own. One that has such beside a host must have that host's consent, or it would learn its subjects.
    static func host(of metadata: ClientMetadata, _ redirectURIs: [RedirectURI]) throws -> String? {
        if let uri = metadata.sectorIdentifierURI { return try? StrictURI(uri).host }
        let sectors = Set(redirectURIs.map(\.sector))
        if sectors.count <= 1 { return sectors.first ?? nil }
        guard metadata.subjectType == .public else {
            throw DraftRules.refused("redirect URIs of more than one host, with subject_type pairwise: give a sector_identifier_uri, or subject_type public")
        }
        return nil
    }

    /// The document that the host publishes: a JSON array with every redirect URI in it, byte for byte.
    static func confirm(_ uri: String, lists redirectURIs: [String], fetch: @Sendable (String) async throws -> [UInt8]) async throws {
        let document: [UInt8]
        do { document = try await fetch(uri) } catch {
            throw WebClientStore.Unacceptable(.invalidClientMetadata, "sector_identifier_uri cannot be read", cause: "\(error)")
        }
        guard document.count <= 1 << 20, let listed = (try? JSONReader.read(document))?.strings else {
            throw DraftRules.refused("sector_identifier_uri must be a JSON array of redirect URIs")
        }
        let known = Set(listed.map { Array($0.utf8) })
        guard redirectURIs.allSatisfy({ known.contains(Array($0.utf8)) }) else {
            throw WebClientStore.Unacceptable(.invalidRedirectURI, "sector_identifier_uri does not list every redirect URI")
        }
    }
}
