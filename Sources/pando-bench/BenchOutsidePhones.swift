import Base
import Database
import Foundation
import Operations
import Simulators
import Tiqr

/// What phones send: right answers to challenges, approvals, and questions after what waits for them.
extension BenchOutsideRows {
    /// Made for each second measured; more than the server takes.
    private static let challenges = 5_000
    private static let operations = 4_000
    private static let polls = 8_000
    private static let answer = "tiqr answer", approval = "operation approve", poll = "operation list poll"

    func measurePhones(_ report: inout BenchReport) async throws {
        try await measureAnswers(&report)
        try await measureApprovals(&report)
    }

    /// Phones are told everything with status 200, so the database is asked how many answers it took as right. It may
    /// have taken a few more than were counted: those under way when the clock stopped.
    private func measureAnswers(_ report: inout BenchReport) async throws {
        guard isWanted(Self.answer) else { return }
        guard let tiqr = server.composition.product(TiqrService.self) else { throw BenchFailure.noTiqr }
        BenchProgress.say("enrolling \(BenchPhones.count) phones of tiqr, and beginning authentications for them")
        let phones = BenchPhones(tiqr: tiqr, database: database)
        let requests = try await phones.answers(for: seconds, each: Self.challenges)
        let before = try await BenchAnswers.right(in: database)
        BenchProgress.say("right answers of phones")
        let answered = try await once(
            requests, Self.answer, [BenchOutsideCeilings.answer, BenchOutsideCeilings.batch], &report)
        let wrong = answered - (try await BenchAnswers.right(in: database) - before)
        guard wrong <= 0 else { throw BenchFailure.wrongAnswers(wrong) }
    }

    /// A refusal has another status than 200, so wrk sees it.
    private func measureApprovals(_ report: inout BenchReport) async throws {
        guard isWanted(Self.approval) || isWanted(Self.poll) else { return }
        guard let room = server.composition.product(OperationsServices.self) else { throw BenchFailure.noOperations }
        let bank = try await BenchApprovers.prepare(room, at: server.issuer + "/services/operations", database)
        if isWanted(Self.approval) {
            BenchProgress.say("what one signature of a phone costs")
            let signatures = BenchSignatures(threads: ProcessInfo.processInfo.activeProcessorCount, seconds: seconds)
            report.rows += try await signatures.rows()
            BenchProgress.say("activating \(BenchApprovers.count) phones, and beginning operations for them")
            let approvals = try await bank.approvals(for: seconds, each: Self.operations)
            BenchProgress.say("approvals")
            try await once(
                approvals, Self.approval,
                [BenchOutsideCeilings.answer, signatures.agreed, BenchOutsideCeilings.batch], &report)
        }
        if isWanted(Self.poll) {
            BenchProgress.say("activating \(BenchApprovers.count) phones that ask")
            let watchers = try await bank.watchers(waiting: false)
            BenchProgress.say("list polls, nothing pending")
            try await once(
                try await polls(of: watchers), Self.poll, [BenchOutsideCeilings.answer, BenchOutsideCeilings.batch],
                &report)
        }
    }

    /// Each with a nonce and a digest of its own, good once and for five minutes.
    private func polls(of watchers: [BenchApprovers.Watcher]) async throws -> [DemoRequest] {
        guard let first = watchers.first,
            try await server.send(first.phone.list(first.token)).good().body["responseObject"]?.array?.isEmpty == true
        else { throw BenchFailure.emptyList }
        var number = 0
        return try BenchProgress.making(Self.polls * (seconds + 1), within: .seconds(8)) {
            let one = watchers[number % watchers.count]
            number += 1
            return one.phone.list(one.token)
        }
    }
}
