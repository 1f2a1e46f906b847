import Base
import TestSupport
import Testing

/// Halves of apps on phones.
enum AppHalves {
    /// The password was right, a phone has been asked, and not answered yet.
    static func authSession(_ scene: MatrixScene) async throws -> Finish {
        let identity = try await scene.identity(), app = try await scene.app()
        let first = try await app.logInForCode(
            as: scene.account.username, acr: "https://refeds.org/profile/mfa")
        let asked = try await app.ask(["auth_session": first["auth_session"], "factor": "tiqr"])
        let link = try #require(asked.json["tiqr"]?["auth_url"]?.string, "factor: \(asked.body)")
        return {
            _ = try await TiqrPhone(scene.server).answer(link, identity)
            return SecondHalf(try await app.ask(["auth_session": asked["auth_session"]]))
        }
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
