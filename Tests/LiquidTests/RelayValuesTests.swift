import Base
import Foundation
import HTTP
import Testing

@testable import Liquid

@Suite("settings of STUN and TURN")
struct RelayValuesTests {
    private static let turn: [Setting: String] = [
        .liquidTURNURLs: "turn:turn.example.org:3478?transport=udp", .liquidTURNSecret: "/nowhere",
    ]

    private func values(_ texts: [Setting: String]) throws -> RelayValues { try RelayValues(SettingValues(texts)) }

    @Test("without any there are no servers, and credentials would be good for an hour")
    func defaults() throws {
        let settings = try values([:]).settings(isServing: true)

        #expect(settings.stun.isEmpty && settings.turn.isEmpty && settings.secret == nil && settings.lifetime == 3_600)
    }

    @Test("what is no URL of its kind is refused, and TURN without a secret, and a secret without TURN")
    func refused() {
        for texts: [Setting: String] in [
            [.liquidSTUNURLs: "https://turn.example.org"], [.liquidSTUNURLs: "turn:turn.example.org"],
            [.liquidTURNURLs: "turn:turn.example.org"], [.liquidTURNSecret: "/nowhere"],
            RelayValuesTests.turn.merging([.liquidTURNURLs: "turn:a b"]) { $1 },
            RelayValuesTests.turn.merging([.liquidTURNURLs: "turn:a?transport=sctp"]) { $1 },
            RelayValuesTests.turn.merging([.liquidTURNLifetime: "59"]) { $1 },
        ] {
            #expect(throws: UnacceptableSetting.self, "\(texts)") { try values(texts) }
        }
    }

    @Test("the file is read where somebody is served, and holds 16 characters or more")
    func file() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "turn-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let values = try values(RelayValuesTests.turn.merging([.liquidTURNSecret: file.path]) { $1 })

        #expect(throws: UnacceptableSetting.self) { try values.settings(isServing: true) }
        try Data("fifteen letters\n".utf8).write(to: file)
        #expect(throws: UnacceptableSetting.self) { try values.settings(isServing: true) }
        try Data("a secret of both\n".utf8).write(to: file)
        #expect(try values.settings(isServing: true).secret != nil)
        #expect(try values.settings(isServing: false).turn.isEmpty)
    }

    /// What Python's hmac makes of the same.
    @Test("the password is HMAC-SHA-1 of the name, in base64")
    func credential() {
        let made = ICEServers.credential("1795000000:session", SecretBytes(Array("a secret of both".utf8)))

        #expect(made == "50T45U84kGNTqpk4/Sk0a/CoEEs=")
    }
}
