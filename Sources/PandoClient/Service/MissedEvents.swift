import Foundation

/// Asks the federation for events again (docs/events.md): those that it could not push, or that got lost on the way.
public struct MissedEvents: Sendable {
    private let issuer: String
    private let transport: Transport
    private let authorization: @Sendable () async throws -> String

    /// `authorization` is what stands in the header: a token of the service's client with scope `events`, as
    /// `Bearer …`, or what `basic` makes.
    public init(
        issuer: String, transport: Transport, authorization: @escaping @Sendable () async throws -> String
    ) {
        (self.issuer, self.transport, self.authorization) = (issuer, transport, authorization)
    }

    /// With `client_id` and `client_secret` of the service (RFC 6749, 2.3.1).
    public static func basic(
        issuer: String, clientID: String, secret: String, transport: Transport
    ) -> MissedEvents {
        let pair = FormEncoding.encode(clientID) + ":" + FormEncoding.encode(secret)
        let header = "Basic " + Data(pair.utf8).base64EncodedString()
        return MissedEvents(issuer: issuer, transport: transport) { header }
    }

    /// One page of events whose number is above `after`; `latest` is the highest number that was given. Throws
    /// `temporarily_unavailable` where there is none now.
    func page(after: Int) async throws -> (texts: [String], isMore: Bool, latest: Int?) {
        var request = Transport.Request.get("\(issuer)/events?after=\(after)")
        request.headers.append(("Authorization", try await authorization()))
        let response: Transport.Response
        do { response = try await transport.send(request) } catch { throw away("\(issuer) does not answer") }
        guard response.isGood, let json = try? JSON(bytes: response.body), let sets = json["sets"]?.object else {
            throw away("\(issuer) answers with status \(response.status)")
        }
        return (sets.values.compactMap(\.string), json["moreAvailable"]?.bool ?? false, json["latest"]?.integer)
    }

    private func away(_ detail: String) -> OAuthError {
        OAuthError(
            503, .temporarilyUnavailable, "events before this one cannot be fetched now: \(detail)", retryAfter: 2)
    }
}

/// With what a service notices that it has missed events, and gets them.
public struct CatchUp: Sendable {
    let missed: MissedEvents
    let position: @Sendable () async throws -> Int
    let heard: @Sendable (Date) async throws -> Void

    /// `position`: the highest `sequence` of all that were taken; 0 for none. `heard`: as of that time, by the
    /// federation's clock, no event is missing; a service that fails closed looks whether the newest is recent enough.
    public init(
        missed: MissedEvents, position: @escaping @Sendable () async throws -> Int,
        heard: @escaping @Sendable (Date) async throws -> Void = { _ in }
    ) {
        (self.missed, self.position, self.heard) = (missed, position, heard)
    }
}
