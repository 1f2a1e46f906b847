import Base
import TestSupport
import Testing

/// What is begun at built-in services: by an app in its person's name, or by a service that relies on them.
enum ServiceHalves {
    // MARK: tiqr

    private static func tiqr(_ scene: MatrixScene, byApp: Bool) async throws -> TiqrParty {
        guard byApp else {
            let party = try await TiqrParty.movedIn(scene.server)
            await scene.adopts(party.client)
            return party
        }
        let token = try await scene.app().tiqrApp(as: scene.account.username).app.accessToken
        return TiqrParty(server: scene.server, client: try await scene.client(), token: token)
    }

    static func challenge(_ scene: MatrixScene, byApp: Bool) async throws -> Finish {
        let party = try await tiqr(scene, byApp: byApp), phone = TiqrPhone(scene.server)
        let identity = try await party.enroll(phone), begun = try await party.startAuthentication(for: identity)
        return {
            let reply = try await phone.answer(begun.authURL, identity)
            return SecondHalf(isDone: phone.saysYes(reply), "\(reply.status) \(reply.code.map { "\($0)" } ?? "")")
        }
    }

    static func enrollment(_ scene: MatrixScene, byApp: Bool) async throws -> Finish {
        let party = try await tiqr(scene, byApp: byApp), phone = TiqrPhone(scene.server)
        // Half-way: the phone has read what it is to register, and not sent its secret.
        let registering = try await phone.readMetadata(try await party.startEnrollment().enrollURL)
        return {
            let reply = try await phone.register(registering)
            return SecondHalf(isDone: phone.saysYes(reply), "\(reply.status) \(reply.code.map { "\($0)" } ?? "")")
        }
    }

    // MARK: Operations

    /// Whoever begins at operations.
    private struct Bank: Sendable {
        let party: OperationsParty
        /// Of an app.
        var authorization: String?
        let phone: PowerAuthPhone

        func call(_ path: String, _ body: JSONValue) async throws -> Reply {
            let reply = try await party.call(.post, path, body, authorization: authorization)
            try #require(reply.status == 201, "\(path): \(reply.body)")
            return reply
        }

        func code() async throws -> String {
            var body: JSONObject = ["commitPhase": "ON_KEY_EXCHANGE"]
            if authorization == nil { body["userId"] = "ada" }
            return try await call("/v2/registrations", .object(body))["activationQrCodeData"] ?? ""
        }

        func order() async throws -> Reply {
            guard authorization != nil else { return try await party.order() }
            return try await call(
                "/v2/operations", ["template": "approval", "parameters": ["title": "Door", "message": "Open?"]])
        }
    }

    private static func bank(_ scene: MatrixScene, byApp: Bool) async throws -> Bank {
        let server = scene.server
        guard byApp else {
            let party = try await OperationsParty.movedIn(server)
            await scene.adopts(party.client)
            return Bank(
                party: party,
                phone: try PowerAuthPhone(sdkConfig: party.sdkConfig, clock: server.time.clock, post: party.post))
        }
        let token = try await scene.app().operationsApp(as: scene.account.username).accessToken
        let party = OperationsParty(server: server, client: try await scene.client(), token: token, sdkConfig: "")
        return Bank(party: party, authorization: "Bearer \(token)", phone: try await server.newApprover())
    }

    static func operation(_ scene: MatrixScene, byApp: Bool) async throws -> Finish {
        let bank = try await bank(scene, byApp: byApp)
        var phone = bank.phone
        try await phone.activate(try await bank.code())
        let begun = try await bank.order(), ready = phone
        return {
            var phone = ready
            let reply = try await phone.approve(begun)
            return SecondHalf(isDone: reply.isOK, reply.outcome)
        }
    }

    static func activation(_ scene: MatrixScene, byApp: Bool) async throws -> Finish {
        let bank = try await bank(scene, byApp: byApp), code = try await bank.code()
        return {
            var phone = bank.phone
            do { try await phone.activate(code) } catch PowerAuthPhoneError.refused(let status, let code) {
                return SecondHalf(isDone: false, "\(status) \(code)")
            }
            let signed = try await phone.validate()
            return SecondHalf(isDone: signed.isOK, signed.outcome)
        }
    }
}
