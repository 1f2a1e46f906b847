import Base
import Vocabulary

/// Whom pairwise subjects are made for (OpenID Connect Core, 8.1; OpenID Connect Registration, 5).
enum SectorIdentifier {
    /// The host of `sector_identifier_uri`, or the one that all redirect URIs share.
    ///
    /// A loopback address or private-use scheme is anybody's and so no sector: a client that has none but such, or no
    /// redirect URI at all, is a sector of its own. One that has such beside a host must have that host's consent, or
    /// it would learn its subjects. So is a client with the device grant (RFC 8628): it learns a subject without
    /// anything being sent to a redirect URI, so its redirect URIs, which anybody may register, show nothing.
    static func host(of draft: WebClientDraft, _ redirectURIs: [RedirectURI]) throws -> String? {
        let metadata = draft.metadata
        if let uri = metadata.sectorIdentifierURI { return try? StrictURI(uri).host }
        if usesDevices(draft.grantTypes) { return nil }
        let sectors = Set(redirectURIs.map(\.sector))
        if sectors.count <= 1 { return sectors.first ?? nil }
        guard metadata.subjectType == .public else {
            throw DraftRules.refused(
                """
                redirect URIs of more than one host, with subject_type pairwise: give a sector_identifier_uri, or \
                subject_type public
                """
            )
        }
        return nil
    }

    /// The sector of a client that is changed. One that had the device grant while its redirect URIs still named its
    /// sector keeps the subjects that it has given out, as long as they are of that host; who comes to the grant later
    /// does not.
    static func kept(by current: WebClient, _ draft: WebClientDraft) -> String? {
        let metadata = draft.metadata
        guard metadata.sector == nil, metadata.sectorIdentifierURI == nil, usesDevices(draft.grantTypes),
            current.metadata.sectorIdentifierURI == nil, usesDevices(current.grantTypes),
            let given = current.metadata.sector
        else { return metadata.sector }
        let hosts = Set(
            draft.redirectURIs.map {
                (try? RedirectURI(registering: $0, applicationType: metadata.applicationType))?.sector
            })
        return hosts == [given] ? given : nil
    }

    private static func usesDevices(_ grantTypes: [String]) -> Bool {
        grantTypes.contains(GrantType.deviceCode.rawValue)
    }

    /// The document that the host publishes: a JSON array with every redirect URI in it, byte for byte.
    ///
    /// Whoever registers can copy the redirect URIs of a host whose document lists them, and will get nothing there. A
    /// client with the device grant needs no redirect, so it must show something that others cannot: that it has the
    /// keys behind a `jwks_uri` that the document lists as well (OpenID Connect CIBA Core 1.0, 4, has the same reason).
    static func confirm(
        _ uri: String, for draft: WebClientDraft, fetch: @Sendable (String) async throws -> [UInt8]
    ) async throws {
        var wanted = draft.redirectURIs
        if usesDevices(draft.grantTypes), draft.metadata.subjectType == .pairwise {
            guard let keys = draft.jwksURI, [.privateKeyJWT, .selfSignedTLS].contains(draft.authMethod) else {
                throw DraftRules.refused(
                    """
                    sector_identifier_uri for a client with the device grant: authenticate by keys of a jwks_uri, \
                    and list that in the document too
                    """
                )
            }
            wanted.append(keys)
        }
        let document: [UInt8]
        do { document = try await fetch(uri) } catch {
            throw WebClientStore.Unacceptable(
                .invalidClientMetadata, "sector_identifier_uri cannot be read", cause: "\(error)")
        }
        guard document.count <= 1 << 20, let listed = (try? JSONReader.read(document))?.strings else {
            throw DraftRules.refused("sector_identifier_uri must be a JSON array of redirect URIs")
        }
        let known = Set(listed.map { Array($0.utf8) })
        guard let missing = wanted.first(where: { !known.contains(Array($0.utf8)) }) else { return }
        guard draft.redirectURIs.contains(missing) else {
            throw DraftRules.refused("sector_identifier_uri does not list the jwks_uri")
        }
        throw WebClientStore.Unacceptable(.invalidRedirectURI, "sector_identifier_uri does not list every redirect URI")
    }
}
