import Base

/// What limits count a sender by: an IPv4 address, or the /64 of an IPv6 one (RFC 6177), in a form that costs little to
/// look for. `IPAddress.network` is the same as text.
struct SenderNetwork: Hashable, Sendable {
    private let isIPv6: Bool
    private let bits: UInt64

    init(_ address: IPAddress) {
        let address = address.unmapped
        isIPv6 = address.isIPv6
        bits = address.bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
