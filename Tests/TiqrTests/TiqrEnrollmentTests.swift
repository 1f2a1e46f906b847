import Base
import Foundation
import TestSupport
import Testing
import Tiqr

@Suite("backoffice.md: tiqr enrollments")
struct TiqrEnrollmentTests {
    private func start(_ fixture: TiqrFixture, expiresIn: Int? = nil) async throws -> StartedEnrollment {
        try await fixture.service.startEnrollment(
            EnrollmentDraft(displayName: "Ada Lovelace", expiresIn: expiresIn), by: TiqrFixture.shop)
    }

    private func status(_ fixture: TiqrFixture, _ id: String) async throws -> EnrollmentStatus {
        try await fixture.service.enrollment(id, for: TiqrFixture.shop).status
    }

    @Test("an enrollment goes from initialized by retrieved and finalized to validated, and each step changes its ETag")
    func steps() async throws {
        try await TiqrFixture.with { fixture in
            let started = try await start(fixture)
            var etags = [started.view.etag]
            let secret = try await fixture.scan(started)
            var view = try await fixture.service.enrollment(started.view.id, for: TiqrFixture.shop)
            #expect(view.status == .retrieved)
            etags.append(view.etag)

            let phone = EnrolledPhone(
                enrollment: started.view.id, identity: started.view.identity, secret: .random(count: 32))
            let registered = try await fixture.service.register(secret: secret, form: phone.registration, origin: nil)
            #expect(registered == .enrolled)
            view = try await fixture.service.enrollment(started.view.id, for: TiqrFixture.shop)
            #expect(view.status == .finalized)
            etags.append(view.etag)
            let fresh = try await fixture.service.identity(phone.identity, for: TiqrFixture.shop)
            #expect(fresh.status == .new)

            let login = try await fixture.challenge(phone)
            let answer = try await fixture.send(try phone.right(login), phone, to: login)
            #expect(answer == .authenticated)
            view = try await fixture.service.enrollment(started.view.id, for: TiqrFixture.shop)
            #expect(view.status == .validated)
            etags.append(view.etag)
            let used = try await fixture.service.identity(phone.identity, for: TiqrFixture.shop)
            #expect(used.status == .active)
            #expect(Set(etags).count == 4)
        }
    }

    @Test("of 20 phones that read one metadata URL at once, one gets it")
    func metadataOnce() async throws {
        try await TiqrFixture.with { fixture in
            let key = TiqrFixture.value("enrollment_key", in: try await start(fixture).metadataURL)

            let read = try await crowd(20) { _ in try await fixture.service.metadata(key: key) }

            #expect(read.count { $0 != nil } == 1)
        }
    }

    @Test("of 20 phones that register with one secret at once, one is enrolled, and its secret is the one that counts")
    func secretOnce() async throws {
        try await TiqrFixture.with { fixture in
            let started = try await start(fixture), secret = try await fixture.scan(started)
            let phones = (0..<20).map { _ in
                EnrolledPhone(enrollment: started.view.id, identity: started.view.identity, secret: .random(count: 32))
            }

            let answers = try await crowd(20) {
                try await fixture.service.register(secret: secret, form: phones[$0].registration, origin: nil)
            }

            let winners = answers.indices.filter { answers[$0] == .enrolled }
            #expect(winners.count == 1)
            let winner = phones[try #require(winners.first)], login = try await fixture.challenge(winner)
            let answer = try await fixture.send(try winner.right(login), winner, to: login)
            #expect(answer == .authenticated)
        }
    }

    @Test(
        "a form that is refused does not consume the secret",
        arguments: [
            ["secret": ""], ["secret": String(repeating: "xy", count: 32)],
            ["secret": String(repeating: "ab", count: 31)], ["secret": String(repeating: "a", count: 65)],
            ["secret": String(repeating: "ab", count: 65)], ["operation": "login"], ["operation": ""],
        ])
    func refusedForms(change: [String: String]) async throws {
        try await TiqrFixture.with { fixture in
            let started = try await start(fixture), secret = try await fixture.scan(started)
            let phone = EnrolledPhone(
                enrollment: started.view.id, identity: started.view.identity, secret: .random(count: 64))

            let refused = try await fixture.service.register(
                secret: secret, form: phone.registration.merging(change) { _, new in new }, origin: nil)
            let after = try await status(fixture, started.view.id)
            let accepted = try await fixture.service.register(secret: secret, form: phone.registration, origin: nil)

            #expect(refused.responseCode == 101)
            #expect(after == .retrieved)
            #expect(accepted == .enrolled)
        }
    }

    @Test("after its time nothing of an enrollment works, and it says expired without having been written")
    func expiry() async throws {
        try await TiqrFixture.with { fixture in
            let unread = try await start(fixture, expiresIn: 60), read = try await start(fixture, expiresIn: 60)
            let secret = try await fixture.scan(read)
            fixture.time.advance(60)

            let metadata = try await fixture.service.metadata(
                key: TiqrFixture.value("enrollment_key", in: unread.metadataURL))
            let phone = EnrolledPhone(
                enrollment: read.view.id, identity: read.view.identity, secret: .random(count: 32))
            let answer = try await fixture.service.register(secret: secret, form: phone.registration, origin: nil)

            #expect(metadata == nil)
            #expect(answer.responseCode == 101)
            for one in [unread, read] {
                let after = try await status(fixture, one.view.id)
                #expect(after == .expired)
            }
            let rows: Int = try await fixture.database.value("select count(*) from tiqr_enrollment where version > 2")
            #expect(rows == 0)
        }
    }

    @Test("a cancelled enrollment cannot be read; a finalized one cannot be cancelled")
    func cancelling() async throws {
        try await TiqrFixture.with { fixture in
            let started = try await start(fixture)
            try await fixture.service.cancelEnrollment(started.view.id, for: TiqrFixture.shop)
            let metadata = try await fixture.service.metadata(
                key: TiqrFixture.value("enrollment_key", in: started.metadataURL))
            let after = try await status(fixture, started.view.id)
            let phone = try await fixture.enroll()

            #expect(metadata == nil)
            #expect(after == .cancelled)
            await #expect {
                try await fixture.service.cancelEnrollment(phone.enrollment, for: TiqrFixture.shop)
            } throws: { ($0 as? TiqrRefusal)?.status == 409 }
        }
    }

    @Test(
        "drafts that are refused",
        arguments: [
            EnrollmentDraft(displayName: ""), EnrollmentDraft(displayName: String(repeating: "x", count: 101)),
            EnrollmentDraft(displayName: "a\nb"),
            EnrollmentDraft(displayName: "x", expiresIn: 0), EnrollmentDraft(displayName: "x", expiresIn: 3_601),
            EnrollmentDraft(displayName: "x", identifier: "not.known.example"),
            EnrollmentDraft(displayName: "x", externalID: ""),
        ])
    func refusedDrafts(draft: EnrollmentDraft) async throws {
        try await TiqrFixture.with { fixture in
            await #expect { try await fixture.service.startEnrollment(draft, by: TiqrFixture.shop) } throws: {
                ($0 as? TiqrRefusal)?.code == "invalid_request"
            }
            let rows: Int = try await fixture.database.value("select count(*) from tiqr_enrollment")
            #expect(rows == 0)
        }
    }

    @Test(
        "words for nothing are no address; unknown types are kept",
        arguments: [
            ("APNS", "(null)", false), ("APNS", "null", false), ("GCM", "NULL", false), ("GCM", "", false),
            ("", "y", false), ("SOMETHING_NEW", "x", true),
        ])
    func addresses(type: String, address: String, isKept: Bool) async throws {
        try await TiqrFixture.with { fixture in
            let phone = try await fixture.enroll(push: (type, address))

            let identity = try await fixture.service.identity(phone.identity, for: TiqrFixture.shop)

            #expect(identity.push == isKept)
            #expect(identity.notificationType == (isKept ? type : nil))
        }
    }

    @Test("links hold neither the id nor anything that stands in the database, and their keys have 128 bits")
    func links() async throws {
        try await TiqrFixture.with { fixture in
            let started = try await start(fixture)
            let key = TiqrFixture.value("enrollment_key", in: started.metadataURL)
            let rows: String = try await fixture.database.value("select row_to_json(e)::text from tiqr_enrollment e")

            #expect(key.count == 32)
            for link in [started.enrollURL, started.universalLink, started.metadataURL] {
                #expect(!link.contains(started.view.id))
            }
            #expect(!rows.contains(key))
            #expect(started.view.id.count >= 32)
            #expect(started.universalLink.hasPrefix("https://id.example/tiqrenroll/?metadata="))
        }
    }

    @Test("the picture of an enrollment is there by its key until it is scanned, and never by another's")
    func pictures() async throws {
        try await TiqrFixture.with { fixture in
            let started = try await start(fixture), other = try await start(fixture)
            let key = TiqrFixture.value("k", in: started.pictures.png)

            let drawn = try await fixture.service.enrollmentPicture(started.view.id, universal: false, for: .key(key))
            #expect(drawn == started.enrollURL)
            await #expect(throws: TiqrRefusal.self) {
                try await fixture.service.enrollmentPicture(other.view.id, universal: false, for: .key(key))
            }
            await #expect(throws: TiqrRefusal.self) {
                try await fixture.service.enrollmentPicture(
                    started.view.id, universal: false, for: .caller(TiqrFixture.stranger))
            }
            _ = try await fixture.scan(started)
            await #expect(throws: TiqrRefusal.self) {
                try await fixture.service.enrollmentPicture(started.view.id, universal: false, for: .key(key))
            }
        }
    }
}
