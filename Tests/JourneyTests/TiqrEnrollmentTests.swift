import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("tiqr: a phone enrolls", .server)
struct TiqrEnrollmentTests {
    @Test("initialized, retrieved, finalized, validated", arguments: TiqrPhone.System.allCases)
    func way(_ system: TiqrPhone.System) async throws {
        let server = try TestServer.ofSuite, party = try await TiqrParty.movedIn(server),
            phone = TiqrPhone(server, system)
        let started = try await party.startEnrollment(["external_id": "user-1"]), path = "/enrollments/\(started.id)"
        #expect(try await party.status(path) == "initialized")

        let pending = try await phone.readMetadata(started.enrollURL)
        #expect(try await party.status(path) == "retrieved")
        let named: JSONValue = ["identifier": .string(started["identity"] ?? ""), "displayName": "Ada Lovelace"]
        #expect(pending.metadata["identity"] == named)
        #expect(
            pending.metadata["service"]?["identifier"] == "localhost"
                && pending.metadata["service"]?["ocraSuite"] == "OCRA-1:HOTP-SHA1-6:QH10-S064")
        #expect(pending.metadata["service"]?["authenticationUrl"] == .string(ServerParts.tiqrBase + "/authentication"))

        let registered = try await phone.register(pending)
        #expect(registered.body == (system == .legacy ? "OK" : "{\"responseCode\":1}"))
        #expect(
            registered.status == 200 && registered[header: "X-TIQR-Protocol-Version"] == (system == .legacy ? nil : "2")
        )
        #expect(try await party.status(path) == "finalized")
        #expect(try await party.status("/identities/\(started["identity"] ?? "")") == "new")

        let identity = try await party.enroll(phone), login = try await party.startAuthentication(for: identity)
        #expect(try await phone.logsIn(login.authURL, identity))
        #expect(try await party.status("/identities/\(identity.name)") == "active")
    }

    @Test("what is begun tells its links, pictures and Location, and is not stored")
    func begun() async throws {
        let party = try await TiqrParty.movedIn(TestServer.ofSuite)

        let started = try await party.startEnrollment(["future": ["a": 1]])

        let id = try #require(started["id"]), metadata = try #require(started["metadata_url"])
        #expect(
            started[header: "Location"] == "\(ServerParts.tiqrBase)/enrollments/\(id)"
                && started[header: "Cache-Control"] == "no-store")
        #expect(
            started["enroll_url"] == "tiqrenroll://\(metadata)"
                && metadata.hasPrefix(ServerParts.tiqrBase + "/metadata?enrollment_key="))
        #expect(started["universal_link"] == "\(ServerParts.root)/tiqrenroll/?metadata=\(FormCodec.encode(metadata))")
        #expect(
            started.json["qr"]?["png"]?.string?.hasPrefix("\(ServerParts.tiqrBase)/enrollments/\(id).png?k=") == true)
        #expect(started["identity"]?.wholeMatch(of: #/[A-Za-z0-9._~\-]{16,}/#) != nil && !metadata.contains(id))
    }

    @Test("metadata is read once, and HEAD does not read it; unknown keys, and none, are the same 404 without service")
    func metadataOnce() async throws {
        let server = try TestServer.ofSuite, party = try await TiqrParty.movedIn(server),
            started = try await party.startEnrollment()
        let path = String((started["metadata_url"] ?? "").dropFirst(ServerParts.root.count))

        #expect(try await server.send(.head, path).status == 405)
        #expect(try await server.get(path).status == 200)
        let other = TiqrParty.path + "/metadata?enrollment_key=" + String(repeating: "0", count: 32)
        for gone in [
            path, other, TiqrParty.path + "/metadata", path + "&enrollment_key=1",
            TiqrParty.path + "/metadata?enrollment_key=%00",
        ] {
            let reply = try await server.get(gone, headers: [.accept: "application/json", .tiqrVersion: "2"])
            #expect(
                reply.outcome == "404 not_found" && reply.json["service"] == nil
                    && reply[header: "Cache-Control"] == "no-store")
        }
    }

    @Test(
        "a bad form is refused in the phone's words and burns nothing",
        arguments: [
            ("secret", nil), ("secret", ""),
            ("secret", "xyzxyzxyzxyzxyzxyzxyzxyzxyzxyzxyzxyzxyzxyzxyzxyzxyzxyzxyzxyzxyzxyz"),
            ("secret", "abababababababab"),
            ("operation", nil), ("operation", "login"),
        ] as [(String, String?)])
    func badForm(_ name: String, _ value: String?) async throws {
        let server = try TestServer.ofSuite, party = try await TiqrParty.movedIn(server)
        for system in TiqrPhone.System.allCases {
            let started = try await party.startEnrollment(), phone = TiqrPhone(server, system),
                pending = try await phone.readMetadata(started.enrollURL)

            let bad = try await phone.register(pending, changes: [name: value])

            #expect(
                bad.status == 200
                    && (system == .legacy ? bad.body == "ERROR" : bad.code == 101 && bad["message"] != nil))
            #expect(try await party.status("/enrollments/\(started.id)") == "retrieved")
            #expect(try await phone.registers(pending))
        }
    }

    @Test("a field that comes twice, and what is no form, is refused likewise")
    func notForm() async throws {
        let server = try TestServer.ofSuite, party = try await TiqrParty.movedIn(server),
            phone = TiqrPhone(server, .android)
        let pending = try await phone.readMetadata(try await party.startEnrollment().enrollURL)
        let secret = String(repeating: "ab", count: 32)

        for form: [(String, String)] in [[("secret", secret), ("secret", secret), ("operation", "register")], []] {
            #expect(try await phone.post(pending.enrollmentURL, form).code == 101)
        }
        let path = String(pending.enrollmentURL.dropFirst(ServerParts.root.count))
        #expect(
            try await server.send(.post, path, headers: [.tiqrVersion: "2"], body: Array("secret=%zz".utf8)).code == 101
        )
        #expect(
            try await server.send(
                .post, path, headers: [.tiqrVersion: "2"], body: [UInt8](repeating: 0x61, count: 70_000)
            ).outcome == "413 too_large")
        #expect(try await phone.registers(pending))
    }

    @Test("the secret is taken once; an unknown one, and none, are refused")
    func secretOnce() async throws {
        let server = try TestServer.ofSuite, party = try await TiqrParty.movedIn(server), phone = TiqrPhone(server)
        let started = try await party.startEnrollment(), pending = try await phone.readMetadata(started.enrollURL)
        #expect(try await phone.registers(pending))

        let thief = TiqrPhone.Pending(metadata: pending.metadata, secret: Randomness.system.bytes(32))
        #expect(try await phone.register(thief).code == 101)
        for query in ["?enrollment_secret=\(String(repeating: "a", count: 32))", "", "?enrollment_secret=%00"] {
            let reply = try await phone.post(
                ServerParts.tiqrBase + "/enrollment" + query,
                [("secret", String(repeating: "ab", count: 32)), ("operation", "register")])
            #expect(reply.code == 101 && reply.status == 200)
        }

        let login = try await party.startAuthentication(["identity": .string(started["identity"] ?? "")])
        #expect(try await phone.logsIn(login.authURL, pending.identity), "the first secret still counts")
    }

    @Test("phones without push enroll all the same", arguments: ["(null)", "null", "NULL", ""])
    func noPush(_ address: String) async throws {
        let server = try TestServer.ofSuite, party = try await TiqrParty.movedIn(server)

        let identity = try await party.enroll(TiqrPhone(server, .ios, push: ("APNS", address))),
            other = try await party.enroll(TiqrPhone(server, .android, push: nil))
        let known = try await party.enroll(TiqrPhone(server, .android, push: ("SOMETHING_NEW_AND_LONG", "x")))

        #expect(try await party.identity(identity)["push"] == false)
        #expect(try await party.identity(other)["push"] == false)
        #expect(try await party.identity(known)["push"] == true)
        #expect(try await party.identity(known)["notification_type"] == "SOMETHING_NEW_AND_LONG")
    }

    @Test("cancelled, it is not read any more; finished, it is not cancelled any more")
    func cancelled() async throws {
        let server = try TestServer.ofSuite, party = try await TiqrParty.movedIn(server), phone = TiqrPhone(server)
        let started = try await party.startEnrollment(), finished = try await party.startEnrollment()
        _ = try await phone.enroll(finished.enrollURL)

        #expect(try await party.call(.delete, "/enrollments/\(started.id)").status == 204)
        #expect(try await phone.fetchMetadata(started.enrollURL).outcome == "404 not_found")
        #expect(try await party.status("/enrollments/\(started.id)") == "cancelled")
        #expect(try await party.call(.delete, "/enrollments/\(finished.id)").outcome == "409 conflict")
        #expect(try await party.call(.delete, "/enrollments/none").outcome == "404 not_found")
    }

    @Test("it expires, before the metadata is read and after")
    func expired() async throws {
        try await TestServer.with { server in
            let party = try await TiqrParty.movedIn(server), phone = TiqrPhone(server)
            let unread = try await party.startEnrollment(["expires_in": 60]),
                read = try await party.startEnrollment(["expires_in": 60])
            let pending = try await phone.readMetadata(read.enrollURL)

            server.time.advance(61)

            #expect(try await phone.fetchMetadata(unread.enrollURL).outcome == "404 not_found")
            #expect(try await phone.register(pending).code == 101)
            for started in [unread, read] { #expect(try await party.status("/enrollments/\(started.id)") == "expired") }
        }
    }

    @Test("the logo is a small PNG for everybody")
    func logo() async throws {
        let server = try TestServer.ofSuite, party = try await TiqrParty.movedIn(server)
        let pending = try await TiqrPhone(server, .android).readMetadata(try await party.startEnrollment().enrollURL)

        let logo = try await server.get(
            String((pending.metadata["service"]?["logoUrl"]?.string ?? "").dropFirst(ServerParts.root.count)))

        #expect(logo.status == 200 && logo[header: "Content-Type"] == "image/png" && logo.body.contains("PNG"))
    }
}
