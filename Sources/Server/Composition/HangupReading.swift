import Dispatch
import Foundation
import HTTP
import Logging
import ServiceLifecycle

/// SIGHUP: the files of TLS are read again, as after a renewal. New connections have what they say; those that are open
/// go on. Where they cannot be used, what was read before holds, and an error says why.
struct HangupReading: Service {
    let settings: Settings
    let security: TransportSecurity?
    let composition: Composition
    let notice: SupervisorNotice?

    func run() async throws {
        let (signals, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        signal(SIGHUP, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGHUP)
        source.setEventHandler { continuation.yield() }
        source.resume()
        defer { source.cancel() }
        for await _ in signals.cancelOnGracefulShutdown() {
            notice?.tellReloading()
            read()
            notice?.tell("READY=1")
        }
    }

    func read() {
        let logger = composition.logger
        guard let security else { return logger.notice("SIGHUP: there are no certificates to read again") }
        do {
            guard let fresh = try settings.transport.security(clock: composition.clock) else { return }
            security.adopt(fresh)
            logger.notice("the certificates were read again")
        } catch {
            logger.error("the certificates that hold are those from before", metadata: ["error": "\(error)"])
        }
    }
}
