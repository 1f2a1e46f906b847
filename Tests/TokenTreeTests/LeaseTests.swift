import Foundation
import Testing

@testable import TokenTree

@Suite("Leases: answers from memory, and a revocation that is final when it returns")
struct LeaseTests {
    @Test("in thousands of schedules nobody answers from memory what another has finished revoking")
    func holds() throws {
        var fromMemory = 0, revocations = 0
        for seed in 1...2_000 {
            var world = LeaseSimulation(seed: UInt64(seed))
            #expect(throws: Never.self, "seed \(seed)") { try world.run() }
            (fromMemory, revocations) = (fromMemory + world.fromMemory, revocations + world.revocations)
        }
        print("leases: 2000 schedules, \(fromMemory) answers from memory, \(revocations) revocations")
        #expect(fromMemory > 10_000 && revocations > 10_000)
    }

    @Test(
        "each step of the protocol is needed: without it a schedule is found",
        arguments: LeaseSimulation.Omission.allCases)
    func needed(_ omission: LeaseSimulation.Omission) {
        let found = (1...4_000).first { seed in
            var world = LeaseSimulation(seed: UInt64(seed), omitting: omission)
            do { try world.run() } catch { return true }
            return false
        }
        print("leases without \(omission): found by seed \(found.map(String.init) ?? "none")")
        #expect(found != nil)
    }
}
