import Base
import Foundation
import Logging

/// Keeps a service at another server up to date with its issuer, until cancelled: what was missed is read at the start,
/// and every five minutes; where it hears by poll, it asks all the time.
///
/// Where events are pushed this is all that is needed beside: whoever was away is up to date at once and not when the
/// issuer tries again, which may be minutes later; and a gap, which each event and heartbeat shows, is filled by
/// `EventReceiver`. Where nothing comes and no heartbeat is sent, it is the bound.
public struct EventFollowing: Sendable {
    /// Seconds between two tries, doubled from the first to the last.
    static let pauses: ClosedRange<Double> = 0.5...15
    /// Seconds between two questions for what was missed, where events are pushed.
    static let glance: Double = 300
    /// Between two polls that bring nothing.
    static let rest = Duration.seconds(1)

    let receiver: EventReceiver
    let service: ElsewhereService
    let logger: Logger

    public init(_ receiver: EventReceiver, of service: ElsewhereService, logger: Logger) {
        (self.receiver, self.service, self.logger) = (receiver, service, logger)
    }

    public func run() async {
        await untilDone { try await receiver.catchUp() }
        while service.hearing == .push, !Task.isCancelled {
            try? await Task.sleep(for: .seconds(EventFollowing.glance))
            await untilDone { try await receiver.catchUp() }
        }
        var settled = Settled()
        while !Task.isCancelled {
            let begun = ContinuousClock.now
            await untilDone { settled = try await poll(settled) }
            // One that has nothing to tell, and does not hold the answer, as where another process of this service is
            // held already, is asked no faster.
            if settled.isEmpty, .now - begun < EventFollowing.rest { try? await Task.sleep(for: EventFollowing.rest) }
        }
    }

    /// What the next poll acknowledges.
    public struct Settled: Sendable {
        public internal(set) var taken: [String] = []
        public internal(set) var refused: [(jti: String, code: String, description: String)] = []

        public init() {}

        var isEmpty: Bool { taken.isEmpty && refused.isEmpty }
    }

    /// One poll (RFC 8936, 2.4): what it brought stands in the database before it is acknowledged by the next.
    public func poll(_ before: Settled) async throws -> Settled {
        var settled = Settled()
        for (jti, token) in try await service.issuer.poll(taken: before.taken, refused: before.refused) {
            do {
                try await receiver.receive(token)
                settled.taken.append(jti)
            } catch let refusal as EventReceiver.Refused where refusal.status < 500 {
                settled.refused.append((jti, refusal.code, refusal.description))
            }
        }
        return settled
    }

    /// Tells of a failure once, and again when it is another one.
    private func untilDone(_ body: () async throws -> Void) async {
        var pause = EventFollowing.pauses.lowerBound, told: String?
        while !Task.isCancelled {
            do {
                try await body()
                if told != nil {
                    logger.notice("the issuer is heard again", metadata: ["service": "\(receiver.realm.id)"])
                }
                return
            } catch is CancellationError {
                return
            } catch {
                let text = "\(error)", isRefusal = (error as? IssuerConnection.Unanswered)?.isRefusal ?? false
                if text != told {
                    logger.log(
                        level: isRefusal ? .error : .warning, "the issuer is not heard",
                        metadata: ["service": "\(receiver.realm.id)", "error": "\(text)"])
                }
                told = text
            }
            try? await Task.sleep(for: .seconds(pause))
            pause = min(pause * 2, EventFollowing.pauses.upperBound)
        }
    }
}
