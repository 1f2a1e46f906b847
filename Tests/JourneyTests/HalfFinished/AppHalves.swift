import Base
import TestSupport
import Testing

/// Halves of apps on phones.
enum AppHalves {
    private static let path = "/authorize/challenge"

    /// The password was right, a phone has been asked, and not answered yet.
    static func authSession(_ scene: MatrixScene) async throws -> Finish {
        let identity = try await scene.identity(), app = try await scene.app()
        let first = try await Patience.whileBusy {
            try await ask(
                app,
                [
                    "username": scene.account.username, "password": Residents.password,
                    "code_challenge": Phone.challenge,
                    "code_challenge_method": "S256", "acr_values": "https://refeds.org/profile/mfa",
                ])
        }
        let asked = try await ask(app, ["auth_session": first["auth_session"], "factor": "tiqr"])
        let link = try #require(asked.json["tiqr"]?["auth_url"]?.string, "factor: \(asked.body)")
        return {
            _ = try await TiqrPhone(scene.server).answer(link, identity)
            return SecondHalf(try await ask(app, ["auth_session": asked["auth_session"]]))
        }
    }

    private static func ask(_ app: Phone, _ form: KeyValuePairs<String, String?>) async throws -> Reply {
        try await app.server.post(path, form, headers: try app.dpop(.post, path, token: app.instance.accessToken))
    }

    static func appCode(_ scene: MatrixScene) async throws -> Finish {
        let app = try await scene.app(), reply = try await app.logInForCode(as: scene.account.username)
        let code = try #require(reply["authorization_code"], "login: \(reply.body)")
        return { SecondHalf(try await app.redeem(code: code)) }
    }

    static func assertion(_ scene: MatrixScene) async throws -> Finish {
        let app = try await scene.app(),
            assertion = try await app.assertion(try await app.logIn(as: scene.account.username))
        return { SecondHalf(try await app.redeem(assertion: assertion)) }
    }
}
