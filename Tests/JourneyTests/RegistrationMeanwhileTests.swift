import Base
import Database
import Foundation
import Registration
import TestSupport
import Testing
import TokenTree

@Suite("Registrations that come together, and what happens meanwhile", .server)
struct RegistrationMeanwhileTests {
    @Test("each of many at once has an instance of its own, below what its token hangs from")
    func crowded() async throws {
        try await TestServer.with { server in
            let replies = try await crowd(60) { _ in try await RegistrationDraft(server).send() }

            #expect(replies.allSatisfy { $0.outcome == "200" })
            #expect(Set(replies.map(\.clientID)).count == replies.count)
            for reply in replies {
                let instance = try await InstanceStore(clock: server.time.clock).find(
                    reply.clientID, in: server.database)
                let token = try await server.parts.store.find(try #require(NodeID(reply.jti)))
                #expect(instance?.lineage == token?.lineage.dropLast() && instance?.isRevoked == false)
                let opened = try await server.parts.store.generations(of: [
                    .epoch, Ancestor(.version, "\(Residents.app).1"), Ancestor(.instance, reply.clientID),
                    Ancestor(.key, instance?.thumbprint ?? ""),
                ])
                #expect(token?.lineage.starts(with: opened) == true)
            }
        }
    }

    @Test("of many at once with a key that nobody had, one instance is left, and each assertion works once")
    func freshKey() async throws {
        try await TestServer.with { server in
            for _ in 0..<5 {
                let key = PhoneKey()
                let drafts = (0..<4).map { _ in RegistrationDraft(server, key: key, device: "one device") }

                let replies = try await crowd(12) { try await drafts[$0 % 4].send() }

                let made = replies.filter { $0.outcome == "200" }
                #expect(made.count == 4, "one for each assertion")
                #expect(replies.allSatisfy { $0.outcome == "200" || $0["error_description"]?.contains("used") == true })
                var alive = 0
                for reply in made {
                    let token = try await server.parts.store.find(try #require(NodeID(reply.jti)))
                    alive += token?.isLive(at: server.time.now) == true ? 1 : 0
                }
                #expect(alive == 1)
            }
        }
    }

    @Test("who comes while the version is being refused is refused, whatever becomes of its node meanwhile")
    func refusing() async throws {
        try await TestServer.with { server in
            #expect(try await RegistrationDraft(server).send().outcome == "200")
            for version in ["1", "2"] {
                let id = "\(Residents.app).\(version)", node = Ancestor(.version, id)
                let revocation = server.parts.revocation
                let reply = try await server.database.transaction { transaction in
                    // As `apps versions refuse` does.
                    _ = try await AppStore(clock: server.time.clock).setStatus(id, .refused, in: transaction)
                    // Somebody else closes the node, so that whoever comes opens a new one.
                    if version == "1" { try await revocation.revoke(.virtual(node), by: .server) }
                    let reply = Task { try await RegistrationDraft(server, version: version).send() }
                    try await Task.sleep(for: .milliseconds(300))
                    try await revocation.revoke(.virtual(node), by: .server, in: transaction)
                    return reply
                }

                let answer = try await reply.value
                #expect(answer.outcome == "401 invalid_client", "\(answer.body)")
                #expect(answer["error_description"]?.contains("update the app") == true)
            }
        }
    }

    @Test("who comes while the device or the key is being blocked is refused", arguments: BlockStore.Kind.allCases)
    func blocking(_ kind: BlockStore.Kind) async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), clock = server.time.clock
            let instance = try #require(
                try await InstanceStore(clock: clock).find(phone.clientID, in: server.database))
            let device = kind == .device ? phone.device : "another device"
            let key = kind == .key ? phone.key : PhoneKey()
            let reply = try await server.database.transaction { transaction in
                #expect(
                    try await BlockStore(clock: clock).block(instance, only: kind, by: .server, in: transaction))
                let reply = Task { try await RegistrationDraft(server, key: key, device: device).send() }
                try await Task.sleep(for: .milliseconds(300))
                return reply
            }

            let answer = try await reply.value
            #expect(answer.outcome == "401 invalid_client")
            #expect(answer["error_description"]?.contains("blocked") == true, "\(answer.body)")
        }
    }

    @Test("a version whose row has changed since it was last read is read again")
    func changed() async throws {
        try await TestServer.with { server in
            #expect(try await RegistrationDraft(server).send().outcome == "200")
            _ = try await server.database.execute("update app_version set kid = 'another' where version = '1'")

            let before = try await RegistrationDraft(server).send()
            var draft = RegistrationDraft(server)
            draft.header["kid"] = "another"

            #expect(before.outcome == "401 invalid_client")
            #expect(before["error_description"]?.contains("header kid") == true)
            #expect(try await draft.send().outcome == "200")
        }
    }
}
