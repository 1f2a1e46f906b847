import Base
import HTTP
import HTTPTypes
import Hummingbird

/// Pairings that last (protocols/liquid.md, 1): an invitation of a page, its state, its end.
enum PairingRoutes {
    private static let invitations = "/pairings/invitations", one = "/pairings/{pairing}", status = one + "/status"

    static func endpoints(_ context: LiquidRequestContext) -> [Endpoint] {
        let liquid = context.liquid
        return [
            context.endpoint(.post, invitations, "a page invites a wallet to a pairing that lasts") { asked in
                .created(
                    try await liquid.invite(
                        try await asked.body(), by: asked.presented, page: context.page(asked.request)))
            }.telling(.pairingInvitation),
            context.endpoint(.get, status, "the state of a pairing") { asked in
                .found(try await liquid.pairing(credential(asked)).json)
            }.telling(.pairing("Pairing")),
            context.endpoint(.delete, one, "ends a pairing") { asked in
                .found(try await liquid.revokePairing(credential(asked), by: asked.presented))
            }.telling(.pairing("PairingEnd")),
            context.preflight(invitations), context.preflight(status), context.preflight(one),
        ]
    }

    private static func credential(_ asked: LiquidAsked) -> PairingCredential? {
        let shown = asked.request.headers[values: .authorization]
        guard shown.count == 1, let parts = shown.first?.split(separator: " ", maxSplits: 1), parts.count == 2,
            parts[0].lowercased() == "bearer"
        else { return nil }
        return PairingCredential(
            asked.credential, role: asked.request.headers[.named("x-pairing-role")], credential: String(parts[1]))
    }
}

extension EndpointShape {
    fileprivate static let pairingInvitation = EndpointShape(
        body: "PairingWish", answer: "PairingIssued", status: 201,
        about: """
            Show `pairingId` as the request id of the QR code. The wallet that logs in with it gets a credential of \
            its \
            own in the member `pairing` of its answer.
            """,
        security: [[]],
        others: [
            OtherAnswer("400", "`requestId` is no UUID, or the body no JSON", "PairingRefusal"),
            OtherAnswer("403", "A page of an origin that is not listed", "WalletFault"),
            OtherAnswer("409", "The id is taken", "PairingRefusal"),
            OtherAnswer("413", "The body has more than 64 KiB", "WalletFault"),
            OtherAnswer("429", "Too many from this address of the network", "WalletRefusal", saysWhenToRetry: true),
            OtherAnswer("503", "The server cannot reach its database", "WalletFault", saysWhenToRetry: true),
        ])

    fileprivate static func pairing(_ answer: String) -> EndpointShape {
        EndpointShape(
            headers: ["x-pairing-role:=provider|controller!"], answer: answer,
            meanings: ["pairing": "Its id.", "x-pairing-role": "Whose credential it is."],
            security: [[.bearer]],
            others: [
                OtherAnswer("401", "No credential of this pairing, or it is over", "PairingRefusal"),
                OtherAnswer("403", "A page of an origin that is not listed", "WalletFault"),
                OtherAnswer("503", "The server cannot reach its database", "WalletFault", saysWhenToRetry: true),
            ])
    }
}

extension OpenAPISchema {
    static let pairings: [OpenAPISchema] = [
        OpenAPISchema("PairingWish", "", ["requestId": "A UUID of the page's own; without it there is one."]),
        OpenAPISchema(
            "PairingIssued", "To be kept: the credential is told this once.",
            [
                "version:integer!": "2.", "pairingId!": "", "role:=provider|controller!": "", "credential!": "",
                "expiresAt!": "RFC 3339.",
            ]),
        OpenAPISchema(
            "Pairing", "",
            [
                "version:integer!": "2.", "pairingId!": "", "role:=provider|controller!": "",
                "status:=pending|active|revoked!": "", "wallet": "The address, once one has approved.",
                "expiresAt!": "RFC 3339.",
            ]),
        OpenAPISchema("PairingEnd", "", ["version:integer!": "2.", "pairingId!": "", "status:=revoked!": ""]),
        OpenAPISchema(
            "PairingRefusal", "",
            [
                "code:=PAIRING_UNAUTHORIZED|PAIRING_REVOKED|PAIRING_TAKEN|PAIRING_MALFORMED": "A word for programs.",
                "error!": "A sentence.", "message": "", "statusCode:integer": "",
            ]),
    ].exemplified(by: LiquidExamples.members)
}
