import HTTP

/// In place of TestSupport's: no other side is there.
public final class Wire: Sendable {
    struct Away: Error {}

    init() {}

    var outgoing: OutgoingHTTP {
        OutgoingHTTP(
            fetch: { _ in throw Away() }, push: { _, _, _ in throw Away() }, form: { _, _ in throw Away() },
            callback: { _ in throw Away() }, send: { _ in throw Away() },
            exchange: { _ in throw Away() }, ask: { _, _ in throw Away() })
    }
}
