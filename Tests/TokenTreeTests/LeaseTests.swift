import Foundation
import Testing

@testable import TokenTree

@Suite("Leases: answers from memory, and a revocation that is final when it returns")
struct LeaseTests {
    /// What runs for long lets others have the thread: tests share as many as there are cores.
    private static let schedules = 20

    @Test("in thousands of schedules nobody answers from memory what another has finished revoking")
    func holds() async throws {
        var fromMemory = 0, revocations = 0
        for seed in 1...2_000 {
            var world = LeaseSimulation(seed: UInt64(seed))
            #expect(throws: Never.self, "seed \(seed)") { try world.run() }
            (fromMemory, revocations) = (fromMemory + world.fromMemory, revocations + world.revocations)
            if seed % Self.schedules == 0 { await Task.yield() }
        }
        print("leases: 2000 schedules, \(fromMemory) answers from memory, \(revocations) revocations")
        #expect(fromMemory > 10_000 && revocations > 10_000)
    }

    @Test(
        "each step of the protocol is needed: without it a schedule is found",
        arguments: LeaseSimulation.Omission.allCases)
    func needed(_ omission: LeaseSimulation.Omission) async {
        var found: Int?
        for seed in 1...4_000 where found == nil {
            var world = LeaseSimulation(seed: UInt64(seed), omitting: omission)
            do { try world.run() } catch { found = seed }
            if seed % Self.schedules == 0 { await Task.yield() }
        }
        print("leases without \(omission): found by seed \(found.map(String.init) ?? "none")")
        #expect(found != nil)
    }

    @Test("its age counts from when the renewal was sent that holds, not from one that has not been applied")
    func age() {
        let now = ContinuousClock.now
        var lease = Lease(applied: 7)
        #expect(lease.grantedAt == nil)

        lease.renewed(sent: now, head: 7)
        #expect(lease.grantedAt == now)
        lease.renewed(sent: now + .seconds(1), head: 9)
        #expect(lease.grantedAt == now)
        lease.apply(upTo: 9)
        #expect(lease.grantedAt == now + .seconds(1))
    }
}
