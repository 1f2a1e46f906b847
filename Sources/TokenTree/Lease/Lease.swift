/// Whether this process may answer from memory what another may have revoked: a pure state machine. Times are of the
/// process's own clock, which is monotonic and runs at nearly the right rate.
///
/// * A renewal writes a row, another value each time. Here it counts from before it was sent, less a margin for the
///   rates of two clocks: so it ends here before whoever waits for it has waited long enough.
/// * Behind its commit the head of the log of revocations is read, and it counts only when all up to that head has been
///   applied. So who slept for an hour and renews cannot use what it remembers before it knows what happened. Read by
///   the statement that renews, the head could lack a revocation that looks for leases before the renewal is committed.
/// * It never makes a lease shorter, however late it arrives.
/// * What has been applied is written back (`seen`) after it has been applied, never before.
/// * Who revokes waits, after the commit, until every process with a row has seen the number, or for a whole lease and
///   the margin by its own clock since it looked first. Then it strikes off who has neither seen it nor renewed since:
///   the database's clock, which may jump, says nothing of leases.
/// * Whoever answers looks into its memory first and at the lease last, and nothing may have been applied in between:
///   that would have been acknowledged, too, and so be final.
struct Lease: Sendable {
    /// As others wait for it.
    static let length: Duration = .seconds(3)
    /// Clocks of two machines run at rates that differ by less than one in this many.
    static let drift = 50

    private struct Grant {
        let until: ContinuousClock.Instant
        /// The log had this many when it was granted.
        let head: Int
    }

    /// All revocations up to this number are known here.
    private(set) var applied: Int
    private var granted: Grant?
    private var pending: Grant?

    /// `applied` is the head of the log before anything was remembered.
    init(applied: Int) { self.applied = applied }

    /// The answer to a renewal that was sent at `sent`.
    mutating func renewed(sent: ContinuousClock.Instant, head: Int) {
        let until = sent + Lease.length - Lease.length / Lease.drift
        let grant = Grant(until: until, head: head)
        if head <= applied { granted = grant } else { pending = grant }
    }

    /// All up to `number` is known now.
    mutating func apply(upTo number: Int) {
        applied = max(applied, number)
        guard let pending, pending.head <= applied else { return }
        (granted, self.pending) = (pending, nil)
    }

    /// When it was asked for, of the grant that holds, or has held.
    var grantedAt: ContinuousClock.Instant? {
        granted.map { $0.until - (Lease.length - Lease.length / Lease.drift) }
    }

    /// Asked last, when the answer stands: whether it may be given.
    func isCertain(at now: ContinuousClock.Instant) -> Bool {
        guard let granted else { return false }
        return now < granted.until && granted.head <= applied
    }
}
