import Foundation
extension Database {
    public func dump() {
        pool.withLock { p in
            guard let p else { return }
            var s = "waiters \(p.waiters.map { "\($0.use) \($0.deadline - .now) cancelled \($0.ticket.isCancelled)" }) closing \(p.isClosing)\n"
            for m in p.members { s += "member \(m.connection.id) ready \(m.isReady) leased \(m.isLeased) reserved \(m.isReserved) load \(m.load)\n"
                m.connection.onQueue { c in
                    FileHandle.standardError.write(Data("conn \(c.id) \(c.phase) entries \(c.pipeline.entries.count) \(c.pipeline.entries.map { "\($0.request.work) ab \($0.isAbandoned) can \($0.isCancelling) res \($0.results.count) fail \($0.failure as Any)" }) held \(c.held.count) cancelling \(c.cancelling) script \(c.script != nil) lost \(c.wire?.isLost as Any) busy \(c.wire?.isBusy as Any)\n".utf8))
                } }
            FileHandle.standardError.write(Data(s.utf8))
        }
    }
}
