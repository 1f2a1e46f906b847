import Accounts
import Base
import Federation
import Registration
import TokenTree

extension TestServer {
    /// One round of housekeeping, as a process does it every ten minutes (`ServerProcess.keep`).
    public func tidy() async throws {
        let clock = time.clock
        try await parts.partitions.makeAhead()
        try await parts.partitions.dropDead()
        try await parts.idp.web.forget()
        try await parts.composition.eventPurge.forget()
        try await parts.composition.treePurge.forget()
        try await parts.composition.growth?.forget()
        try await parts.composition.crawler.forgetHosts()
        try await InvitationStore(clock: clock, randomness: .system).forget(in: database)
        try await ServiceListing.forgetSets(in: database)
        try await parts.tiqr.tidy()
        while try await parts.operations.expire() == 100 {}
        try await parts.operations.tidy()
        try await parts.powerAuth.tidy()
        try await parts.liquid.tidy()
        try await AttemptLimit(clock: clock).forget(in: database)
        try await AuditTally.settle(at: clock.now(), in: database)
        try await parts.composition.auditChain.round()
        try await parts.composition.auditPurge.forget()
    }
}
