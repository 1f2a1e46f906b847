import Base
import Database
import Foundation
import Operations
import TestSupport
import Testing
import TokenTree

@testable import PowerAuth

@Suite("operations.md 4.4, 4.5, 4.10: temporary keys, envelopes, vault and user information")
struct PhoneExchangeTests {
    // MARK: Temporary keys

    @Test("a temporary key lives five minutes and is used as often as wanted")
    func lifetime() async throws {
        try await PhoneFixture.with { fixture in
            var phone = try await fixture.activated()
            let key = try await phone.temporaryKey(inActivation: true), issued = Milliseconds.of(fixture.time.now)
            var statuses: [Int] = []
            for seconds in [0, 1, 298, 1] as [TimeInterval] {
                fixture.time.advance(seconds)
                statuses.append(try await phone.userInfo(with: key).reply.status)
            }

            let (reply, _) = try await phone.sealed("token/create", .tokenCreate, [], .possession, with: key)

            #expect(key.issued == issued && key.expires == issued + 300_000)
            #expect(statuses == [200, 200, 200, 400] && reply.isRefused("ERR_ENCRYPTION"))
        }
    }

    @Test(
        """
        of an application a key is made once a minute, however many ask, and each hears how long it still lives; of \
        a registration each time
        """
    )
    func shared() async throws {
        try await PhoneFixture.with { fixture in
            let phone = try await fixture.activated(), other = try fixture.phone()
            fixture.time.advance(300)
            let first = try await phone.temporaryKey()
            fixture.time.advance(59)
            let second = try await other.temporaryKey()
            fixture.time.advance(2)
            let third = try await other.temporaryKey()
            let own = try await phone.temporaryKey(inActivation: true),
                next = try await phone.temporaryKey(inActivation: true)

            #expect(
                second.keyID == first.keyID && second.publicKey == first.publicKey && second.expires == first.expires
                    && second.issued == first.issued + 59_000)
            #expect(
                first.expires == first.issued + 300_000 && third.keyID != first.keyID
                    && third.expires == third.issued + 300_000)
            #expect(Set([own.keyID, next.keyID, third.keyID]).count == 3)
        }
    }

    @Test("what a process whose clock is ahead has made is not given out before its time")
    func clockAhead() async throws {
        try await PhoneFixture.with { fixture in
            let phone = try await fixture.activated()
            fixture.time.advance(300)
            let early = try await phone.temporaryKey()
            fixture.time.advance(-30)
            let own = try await phone.temporaryKey(), again = try await phone.temporaryKey()
            fixture.time.advance(30)
            let caughtUp = try await phone.temporaryKey()

            #expect(own.keyID != early.keyID && again.keyID == own.keyID && own.expires == own.issued + 300_000)
            #expect(caughtUp.keyID == early.keyID && caughtUp.expires == caughtUp.issued + 300_000)
        }
    }

    @Test("requests for keys are signed by who has the secrets, in either scope", arguments: [false, true])
    func signedRequests(inActivation: Bool) async throws {
        try await PhoneFixture.with { fixture in
            let phone = try await fixture.activated()
            let tampered = await refusal {
                _ = try await phone.temporaryKey(inActivation: inActivation) { jwt in
                    String(jwt.dropLast(4)) + (jwt.hasSuffix("AAAA") ? "BBBA" : "AAAA")
                }
            }
            let garbage = await refusal {
                _ = try await phone.temporaryKey(inActivation: inActivation) { _ in "a.b.c" }
            }
            let empty = try await fixture.post("/pa/v3/keystore/create", [:], Array("{}".utf8))

            #expect(
                tampered == .refused(status: 400, code: "ERR_TEMPORARY_KEY") && garbage == tampered
                    && empty.isRefused("ERR_TEMPORARY_KEY"))
        }
    }

    @Test("a key is bound to application and activation: no other phone, scope or application uses it")
    func bound() async throws {
        try await PhoneFixture.with { fixture in
            let phone = try await fixture.activated(), other = try await fixture.activated(user: "bob")
            let config = try #require(
                try await fixture.service.addVersion(of: "bank-app", by: PhoneFixture.bank).sdkConfig)
            let ofApplication = try await phone.temporaryKey(),
                ofOther = try await other.temporaryKey(inActivation: true)
            let ofVersion = try await fixture.phone(config: config).temporaryKey()

            var replies = [
                try await phone.userInfo(with: ofApplication).reply, try await phone.userInfo(with: ofOther).reply,
            ]
            for key in [ofVersion, try await phone.temporaryKey(inActivation: true)] {
                let outer = try fixture.phone().encrypt(.genericApplication, Array("{}".utf8), with: key)
                replies.append(
                    try await fixture.post(
                        "/pa/v3/activation/create", phone.encryptionHeader(), outer.envelope.json.bytes))
            }

            #expect(replies.count == 4 && replies.allSatisfy { $0.isRefused("ERR_ENCRYPTION") })
        }
    }

    @Test("a blocked registration gets a key, and nothing for it; a removed one gets none")
    func blocked() async throws {
        try await PhoneFixture.with { fixture in
            var phone = try await fixture.activated()
            let id = phone.activationID
            _ = try await fixture.service.change(id, .block(reason: "LOST"), by: PhoneFixture.bank)
            let key = try await phone.temporaryKey(inActivation: true), info = try await phone.userInfo(with: key).reply
            let (token, _) = try await phone.sealed("token/create", .tokenCreate, [], .possession, with: key)
            _ = try await fixture.service.change(id, .remove, by: PhoneFixture.bank)
            let none = await refusal { _ = try await phone.temporaryKey(inActivation: true) },
                old = try await phone.userInfo(with: key).reply

            #expect(info.isRefused("ERR_USER_INFO") && token.isUnauthenticated)
            #expect(none == .refused(status: 400, code: "ERR_TEMPORARY_KEY") && old.isRefused("ERR_ENCRYPTION"))
        }
    }

    // MARK: Envelopes

    @Test("a response is bare, has a nonce of its own, and opens", arguments: [false, true])
    func response(isCompressed: Bool) async throws {
        try await PhoneFixture.with { fixture in
            let phone = try await fixture.activated()
            let (reply, exchange) = try await phone.userInfo(isCompressed: isCompressed)
            let claims = try exchange.open(reply.json)

            #expect(reply.status == 200 && reply.json["status"] == nil && claims["sub"]?.string == "ada")
            #expect(reply.json["nonce"] != exchange.envelope.json["nonce"])
        }
    }

    @Test(
        "envelopes that are refused",
        arguments: [
            ("temporaryKeyId", "00000000-0000-4000-8000-000000000000"), ("temporaryKeyId", "x"),
            ("mac", .string(Base64Text.encode([UInt8](repeating: 0, count: 32)))),
            ("nonce", .string(Base64Text.encode([UInt8](repeating: 0, count: 16)))), ("ephemeralPublicKey", "AA=="),
            ("encryptedData", "AAAA"), ("timestamp", 1),
            ("mac", "not base64"), ("encryptedData", .string(Base64Text.encode([UInt8](repeating: 7, count: 16)))),
        ] as [(String, JSONValue)])
    func refused(name: String, value: JSONValue) async throws {
        try await PhoneFixture.with { fixture in
            let phone = try await fixture.activated()
            let (reply, _) = try await phone.userInfo { json in
                var object = json.object ?? JSONObject()
                object[name] = value
                return .object(object)
            }
            #expect(reply.isRefused("ERR_ENCRYPTION"))
        }
    }

    @Test(
        "a minute old at most, and hardly ahead",
        arguments: [(-60_000, true), (-60_001, false), (10_000, true), (10_001, false)] as [(Int64, Bool)])
    func times(offset: Int64, isFine: Bool) async throws {
        try await PhoneFixture.with { fixture in
            let phone = try await fixture.activated()
            let reply = try await phone.userInfo(timestamp: Milliseconds.of(fixture.time.now) + offset).reply
            #expect(isFine ? reply.status == 200 : reply.isRefused("ERR_ENCRYPTION"))
        }
    }

    @Test("an envelope opens once, also for twenty at once; one for another purpose opens nothing")
    func replay() async throws {
        try await PhoneFixture.with { fixture in
            let phone = try await fixture.activated(), key = try await phone.temporaryKey(inActivation: true),
                post = fixture.post
            let body = try phone.encrypt(.genericActivation, [], with: key, inActivation: true).envelope.json.bytes,
                header = phone.encryptionHeader(inActivation: true)
            let other = try phone.encrypt(.tokenCreate, [], with: key, inActivation: true).envelope.json.bytes

            let replies = try await crowd(20) { _ in try await post("/pa/v3/user/info", header, body) }
            let misused = try await post("/pa/v3/user/info", header, other),
                headless = try await post("/pa/v3/user/info", [:], other)

            #expect(replies.count { $0.status == 200 } == 1 && replies.count { $0.isRefused("ERR_ENCRYPTION") } == 19)
            #expect(misused.isRefused("ERR_ENCRYPTION") && headless.isRefused("ERR_ENCRYPTION"))
        }
    }

    @Test("a refused envelope moves no counter and counts nothing, whatever its signature says; a replayed one neither")
    func counters() async throws {
        try await PhoneFixture.with { fixture in
            var phone = try await fixture.activated()
            var replies: [PowerAuthReply] = []
            for isWrong in [false, true] {
                replies.append(
                    try await phone.signed(
                        "/pa/v3/token/create", "/pa/token/create", ["temporaryKeyId": "x"], .possessionKnowledge,
                        isWrong: isWrong))
            }
            let before = try await phone.status()
            let (first, exchange) = try await phone.sealed("token/create", .tokenCreate, [], .possession)
            let again = try await phone.signed(
                "/pa/v3/token/create", "/pa/token/create", exchange.envelope.json, .possession)
            let after = try await phone.status()

            #expect(
                replies.allSatisfy { $0.isRefused("ERR_ENCRYPTION") } && before?.counterByte == 0 && before?.failed == 0
            )
            // Two were lost, the third is right: three steps.
            #expect(first.status == 200 && again.isRefused("ERR_ENCRYPTION") && after?.counterByte == 3)
            let valid = try await phone.validate()
            #expect(valid.isOK)
        }
    }

    @Test("a good envelope with a wrong PIN gives nothing, and counts")
    func wrongPIN() async throws {
        try await PhoneFixture.with { fixture in
            var phone = try await fixture.activated()
            let (reply, _) = try await phone.sealed(
                "token/create", .tokenCreate, [], .possessionKnowledge, isWrong: true)
            let failed = try await phone.status()?.failed,
                tokens: Int = try await fixture.database.value("select count(*) from phone_token")
            #expect(reply.isUnauthenticated && failed == 1 && tokens == 0)
        }
    }

    @Test("an activation id that is not there answers an envelope as one that is somebody else's")
    func noOracle() async throws {
        try await PhoneFixture.with { fixture in
            let phone = try await fixture.activated(), other = try await fixture.activated(user: "bob")
            let body = try phone.encrypt(
                .genericActivation, [], with: try await phone.temporaryKey(), inActivation: true
            ).envelope.json.bytes
            var replies: [JSONValue] = []
            for id in [other.activationID, "00000000-0000-4000-8000-000000000000"] {
                let header = EncryptionHeader(version: .v33, applicationKey: phone.applicationKey, activationID: id)
                    .text()
                replies.append(try await fixture.post("/pa/v3/user/info", [EncryptionHeader.name: header], body).json)
            }
            #expect(replies[0] == replies[1])
        }
    }

    // MARK: The vault, and what is not offered

    @Test(
        "the vault opens for knowledge, whatever reason is given",
        arguments: ["ADD_BIOMETRY", "FETCH_ENCRYPTION_KEY", "NOT_SPECIFIED", "SOMETHING_NEW"])
    func vault(reason: String) async throws {
        try await PhoneFixture.with { fixture in
            var phone = try await fixture.activated()
            let (reply, exchange) = try await phone.unlockVault(reason)
            let expected = try #require(phone.keys).encryptedVaultKey(),
                opened = try exchange.open(reply.json)["encryptedVaultEncryptionKey"]?.string
            #expect(reply.status == 200 && opened == Base64Text.encode(expected))
        }
    }

    @Test("the vault stays locked for possession, biometry and a wrong PIN; the last counts")
    func lockedVault() async throws {
        try await PhoneFixture.with { fixture in
            var phone = try await fixture.activated()
            let replies = [
                try await phone.unlockVault("ADD_BIOMETRY", .possession).reply,
                try await phone.unlockVault("ADD_BIOMETRY", .possessionBiometry).reply,
                try await phone.unlockVault(isWrong: true).reply,
            ]
            let failed = try await phone.status()?.failed
            #expect(replies.allSatisfy({ $0.isUnauthenticated }) && failed == 1)
        }
    }

    @Test("upgrades and recovery are refused in their own words; the time is told to everybody")
    func others() async throws {
        try await PhoneFixture.with { fixture in
            let upgrade = try await fixture.post("/pa/v3/upgrade/start", [:], []),
                recovery = try await fixture.post("/pa/v3/recovery/confirm", [:], [])
            let status = try await fixture.post("/pa/v3/status", [:], Array("{}".utf8)),
                now = Int(Milliseconds.of(fixture.time.now))

            #expect(upgrade.isRefused("ERR_UPGRADE") && recovery.isRefused("ERR_RECOVERY"))
            #expect(status.isOK && status.object?["serverTime"]?.integer == now)
        }
    }
}
