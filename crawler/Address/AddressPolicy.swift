import Base

/// Which addresses may be connected to.
///
/// Global unicast only (RFC 6890 and the IANA special-purpose registries); IPv4-mapped, NAT64 and 6to4 addresses are
/// judged by the IPv4 address they lead to. `allow` admits ranges, `deny` wins over everything.
struct AddressPolicy: Sendable {
    let allow: [CIDR]
    let deny: [CIDR]

    /// - Parameter loopback: admits 127.0.0.1 and ::1, for a service whose row says so.
    func permits(_ address: IPAddress, loopback: Bool = false) -> Bool {
        let address = address.unmapped
        let inner = embedded(in: address)
        guard !deny.contains(where: { range in range.contains(address) || inner.map { range.contains($0) } ?? false })
        else { return false }
        if allow.contains(where: { $0.contains(address) }) { return true }
        if loopback, AddressPolicy.ownHost.contains(address) { return true }
        return AddressPolicy.isGlobalUnicast(address) && (inner.map { permits($0) } ?? true)
    }

    /// Whether `address` may be spoken to without TLS: this host where that is permitted, and what the operator admits.
    func admitsPlain(_ address: IPAddress, loopback: Bool) -> Bool {
        loopback && AddressPolicy.ownHost.contains(address.unmapped) || allow.contains { $0.contains(address.unmapped) }
    }

    private static let ownHost = [IPAddress("127.0.0.1"), IPAddress("::1")]

    /// NAT64 (RFC 6052, 64:ff9b::/96) and 6to4 (RFC 3056, 2002::/16) carry the IPv4 address that is really asked.
    private func embedded(in address: IPAddress) -> IPAddress? {
        let bytes = address.bytes
        guard address.isIPv6 else { return nil }
        if AddressPolicy.nat64.contains(where: { $0.contains(address) }) {
            return IPAddress(bytes: Array(bytes.suffix(4)))
        }
        return bytes[0] == 0x20 && bytes[1] == 0x02 ? IPAddress(bytes: Array(bytes[2..<6])) : nil
    }

    private static func isGlobalUnicast(_ address: IPAddress) -> Bool {
        if address.isIPv6 {
            return nat64.contains { $0.contains(address) }
                || global6.contains { $0.contains(address) } && !special.contains { $0.contains(address) }
        }
        return !special.contains { $0.contains(address) }
    }

    private static let nat64 = ["64:ff9b::/96"].compactMap { CIDR($0) }
    private static let global6 = ["2000::/3"].compactMap { CIDR($0) }

    private static let special = [
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4",
        "240.0.0.0/4",
        // Public by its number, yet of the machine itself: Azure's wire server, which hands out what the machine's
        // agent is told (https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16).
        "168.63.129.16/32",
        // Inside 2000::/3: protocol assignments with Teredo and ORCHID, documentation (twice), AS112 is global.
        "2001::/23", "2001:db8::/32", "3fff::/20",
    ].compactMap { CIDR($0) }
}
