import Database
import TestSupport
import Testing

@Suite("Half-finished things: each artefact and each event", .server, .serialized)
struct HalfFinishedTests {
    /// What a second half can give: tokens, sessions, what people log in with, clients.
    private func gains(_ artefact: Artefact, _ server: TestServer) async throws -> [Int] {
        let sessions: SQL = artefact.logsIn ? "0" : "(select count(*) from browser_session)"
        let row = try #require(
            try await server.database.query(
                """
                select \(sessions)::bigint as a, (select count(*) from token) as b, (select count(*)
                    from family) as c, (select count(*) from passkey) as d,
                       (select count(*) from tiqr_identity) as e, (select count(*) from phone_registration
                           where state = 'ACTIVE') as f,
                       (select count(*) from client) as g, (select count(*) from liquid_session
                           where wallet is not null) as h,
                       (select count(*) from passkey_link) as i
                """
            ).first)
        return try ["a", "b", "c", "d", "e", "f", "g", "h", "i"].map { Int(try row($0, as: Int64.self)) }
    }

    @Test("an event that reaches it ends it, another does not", arguments: Artefact.allCases, EndingEvent.allCases)
    func pair(_ artefact: Artefact, _ event: EndingEvent) async throws {
        let server = try TestServer.ofSuite, scene = try await MatrixScene(server),
            finish = try await artefact.begin(scene)

        try await event.happen(in: scene)
        let before = try await gains(artefact, server)
        let half = try await finish()
        let after = try await gains(artefact, server)
        try await event.restore(scene)

        switch Reach.of(artefact, event) {
        case .ends(let told):
            #expect(!half.isDone, "finished, though it should have ended")
            #expect(half.told == told)
            #expect(after == before, "nothing is given")
        case .lives(let reason):
            #expect(half.isDone, "\(half.told), though \(reason)")
        }
    }
}

extension Artefact {
    /// The first half; gives the second.
    func begin(_ scene: MatrixScene) async throws -> Finish {
        switch self {
        case .pushedRequest: try await WebHalves.pushedRequest(scene)
        case .openRequest: try await WebHalves.openRequest(scene)
        case .webCode: try await WebHalves.webCode(scene)
        case .deviceWaiting: try await WebHalves.deviceWaiting(scene)
        case .deviceApproved: try await WebHalves.deviceApproved(scene)
        case .refreshChild: try await WebHalves.refreshChild(scene)
        case .authSession: try await AppHalves.authSession(scene)
        case .appCode: try await AppHalves.appCode(scene)
        case .assertion: try await AppHalves.assertion(scene)
        case .phoneLogin: try await LoginHalves.phoneLogin(scene)
        case .stepUp: try await LoginHalves.stepUp(scene)
        case .approvalLogin: try await LoginHalves.approvalLogin(scene)
        case .passkeyLogin: try await LoginHalves.passkeyLogin(scene)
        case .walletCodeLogin: try await WalletHalves.code(scene)
        case .phoneSetup: try await LoginHalves.phoneSetup(scene)
        case .approverSetup: try await LoginHalves.approverSetup(scene)
        case .passkeySetup: try await LoginHalves.passkeySetup(scene)
        case .walletLink: try await WalletHalves.link(scene)
        case .walletLogin: try await WalletHalves.login(scene)
        case .appChallenge: try await ServiceHalves.challenge(scene, byApp: true)
        case .serviceChallenge: try await ServiceHalves.challenge(scene, byApp: false)
        case .appEnrollment: try await ServiceHalves.enrollment(scene, byApp: true)
        case .serviceEnrollment: try await ServiceHalves.enrollment(scene, byApp: false)
        case .appOperation: try await ServiceHalves.operation(scene, byApp: true)
        case .serviceOperation: try await ServiceHalves.operation(scene, byApp: false)
        case .appActivation: try await ServiceHalves.activation(scene, byApp: true)
        case .serviceActivation: try await ServiceHalves.activation(scene, byApp: false)
        case .invitation: try await WebHalves.invitation(scene)
        case .logout: try await WebHalves.logout(scene)
        case .passwordLink: try await LoginHalves.passwordLink(scene)
        }
    }
}
