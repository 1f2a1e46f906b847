import Base
import HTTP
import HTTPTypes
import Hummingbird

/// What wallets and pages of Liquid Auth ask, at the host's root, where their SDKs look for it (design/api.md, liquid;
/// protocols/liquid.md, 1 and 2).
///
/// Bodies are read as JSON whatever type their sender names, and may be missing where an SDK sends none. What the
/// members are to be is for the room.
enum LiquidRoutes {
    private static let credential = "/{credential}"

    /// `root` is the URL of this host's root.
    static func endpoints(_ doors: LiquidEndpoints, root: String) -> [Endpoint] {
        let context = LiquidRequestContext(doors, root: root)
        return attestation(context) + assertion(context) + session(context)
            + (doors.conformance.map { conformance($0, context) } ?? []) + SignallingRoutes.endpoints(context)
            + PairingRoutes.endpoints(context) + LiquidPageRoutes.endpoints(context, root: root)
            + LiquidDocuments.endpoints(doors, root: root)
    }

    // MARK: Registering

    private static func attestation(_ context: LiquidRequestContext) -> [Endpoint] {
        let liquid = context.liquid, request = "/attestation/request", response = "/attestation/response"
        return [
            context.endpoint(.post, request, "options for a wallet's new passkey") { asked in
                .created(try await liquid.attestationOptions(try await asked.registration(), for: asked.presented))
            }.telling(.attestationRequest),
            context.endpoint(.post, response, "a wallet registers a passkey") { asked in
                let entered = try await liquid.attest(try await asked.neededBody(), by: asked.presented)
                return .created(entered.user, cookie: entered.cookie)
            }.telling(.attestationResponse),
            context.preflight(request), context.preflight(response),
        ]
    }

    // MARK: Logging in

    private static func assertion(_ context: LiquidRequestContext) -> [Endpoint] {
        let liquid = context.liquid, request = "/assertion/request", response = "/assertion/response"
        return [
            context.endpoint(.post, request, "options for logging in with any passkey of a wallet") { asked in
                _ = try await asked.body()
                return .created(try await liquid.assertionOptions(nil, for: asked.presented))
            }.telling(.assertionRequest),
            context.endpoint(.post, request + credential, "options for logging in with one passkey") { asked in
                // Nothing of it is for the server to follow, but what is no JSON is told.
                _ = try await asked.body()
                return .created(try await liquid.assertionOptions(asked.credential, for: asked.presented))
            }.telling(.assertionRequestOfOne),
            context.endpoint(.post, response, "a wallet logs in with a passkey") { asked in
                let entered = try await liquid.assert(try await asked.neededBody(), by: asked.presented)
                return .created(entered.user, cookie: entered.cookie)
            }.telling(.assertionResponse),
            context.preflight(request), context.preflight(request + credential), context.preflight(response),
        ]
    }

    // MARK: Session

    private static func session(_ context: LiquidRequestContext) -> [Endpoint] {
        let liquid = context.liquid, keys = "/auth/keys" + credential
        return [
            context.endpoint(.get, "/auth/user", "the wallet that is logged in, with its passkeys") { asked in
                .found(try await liquid.user(asked.presented))
            }.telling(.walletUser),
            context.endpoint(.get, "/auth/session", "the session, and the wallet if there is one") { asked in
                .found(try await liquid.document(asked.presented))
            }.telling(.walletSession),
            context.endpoint(.get, "/auth/logout", "ends the session") { asked in
                guard context.isVisit(asked.request) else { throw LiquidRefusal.forbidden }
                let cookie = try await liquid.logOut(asked.presented)
                return LiquidAnswer(
                    response: Response(status: .found, headers: [.location: "/", .cacheControl: "no-store"]),
                    cookie: cookie)
            }.telling(.walletLogout),
            context.endpoint(.delete, keys, "removes a passkey") { asked in
                try await liquid.removeKey(asked.credential, by: asked.presented)
                return .found(["success": true])
            }.telling(.walletKeyRemoval),
            context.preflight("/auth/user"), context.preflight("/auth/session"), context.preflight(keys),
        ]
    }

    // MARK: FIDO's conformance test

    /// Beside the wallets' paths, which have other names (protocols/liquid.md, 6).
    private static func conformance(_ conformance: ConformanceService, _ context: LiquidRequestContext) -> [Endpoint] {
        [
            context.endpoint(.post, "/attestation/options", "FIDO conformance: options for a new passkey") { asked in
                answer(conformance.attestationOptions(try await asked.neededBody(), for: asked.presented))
            }.telling(.conformance("ConformanceCreation", "ConformanceCreationOptions")),
            context.endpoint(.post, "/attestation/result", "FIDO conformance: a new passkey") { asked in
                answer(await conformance.attestationResult(try await asked.neededBody(), by: asked.presented))
            }.telling(.conformance("ConformanceRegistration", "ConformanceDone")),
            context.endpoint(.post, "/assertion/options", "FIDO conformance: options for using a passkey") { asked in
                answer(conformance.assertionOptions(try await asked.neededBody(), for: asked.presented))
            }.telling(.conformance("ConformanceRequest", "ConformanceRequestOptions")),
            context.endpoint(.post, "/assertion/result", "FIDO conformance: a passkey is used") { asked in
                answer(conformance.assertionResult(try await asked.neededBody(), by: asked.presented))
            }.telling(.conformance("ConformanceAssertion", "ConformanceDone")),
        ]
    }

    private static func answer(_ answer: ConformanceAnswer) -> LiquidAnswer {
        LiquidAnswer(response: Answer.json(answer.json, status: .init(code: answer.status)))
    }
}
