import Base
import Testing

@testable import Crawler

@Suite("Addresses that may be asked")
struct AddressPolicyTests {
    private let policy = AddressPolicy(allow: [], deny: [])

    @Test(
        "global unicast only",
        arguments: [
            ("8.8.8.8", true), ("1.1.1.1", true), ("172.15.0.1", true), ("172.32.0.1", true), ("100.63.0.1", true),
            ("192.0.1.1", true), ("2a00:1450::1", true), ("2606:4700::1", true),
            ("0.0.0.0", false), ("10.0.0.1", false), ("127.0.0.1", false), ("127.255.255.254", false),
            ("169.254.169.254", false), ("172.16.0.1", false),
            ("172.31.255.255", false), ("192.168.1.1", false), ("100.64.0.1", false), ("100.127.255.255", false),
            ("192.0.0.8", false), ("192.0.2.1", false),
            ("198.18.0.1", false), ("198.51.100.1", false), ("203.0.113.9", false), ("192.88.99.1", false),
            ("224.0.0.1", false), ("255.255.255.255", false),
            ("::", false), ("::1", false), ("fe80::1", false), ("fc00::1", false), ("fd12::1", false),
            ("ff02::1", false), ("2001:db8::1", false),
            ("2001::1", false), ("3fff::1", false), ("100::1", false), ("64:ff9b:1::1", false), ("5f00::1", false),
            ("168.63.129.16", false), ("168.63.129.15", true), ("168.63.129.17", true),
        ])
    func table(address: String, expected: Bool) throws {
        #expect(policy.permits(try #require(IPAddress(address))) == expected)
    }

    @Test(
        "IPv4-mapped, NAT64 and 6to4 are judged by the address inside",
        arguments: [
            ("::ffff:10.0.0.1", false), ("::ffff:127.0.0.1", false), ("::ffff:8.8.8.8", true),
            ("64:ff9b::a00:1", false), ("64:ff9b::808:808", true),
            ("2002:a00:1::1", false), ("2002:7f00:1::", false), ("2002:808:808::1", true), ("::127.0.0.1", false),
            ("::ffff:168.63.129.16", false), ("64:ff9b::a83f:8110", false), ("2002:a83f:8110::1", false),
        ])
    func embedded(address: String, expected: Bool) throws {
        #expect(policy.permits(try #require(IPAddress(address))) == expected)
    }

    @Test("allow admits, deny wins, and a service's loopback is 127.0.0.1 and ::1 only")
    func ranges() throws {
        let own = AddressPolicy(
            allow: try #require(CIDR.list("127.0.0.0/8, 10.1.0.0/16")),
            deny: try #require(CIDR.list("127.66.0.0/16,8.8.8.8")))
        let admitted = ["127.4.0.1", "::ffff:127.4.0.1", "10.1.2.3"].compactMap { IPAddress($0) }
        let refused = ["127.66.66.66", "10.2.0.1", "8.8.8.8", "64:ff9b::808:808", "::1"].compactMap { IPAddress($0) }
        let home = ["127.0.0.1", "::1"].compactMap { IPAddress($0) },
            near = ["127.0.0.2", "10.0.0.1"].compactMap { IPAddress($0) }
        let closed = AddressPolicy(allow: [], deny: [try #require(CIDR("127.0.0.0/8"))])

        #expect(admitted.allSatisfy { own.permits($0) } && refused.allSatisfy { !own.permits($0) })
        #expect(
            home.allSatisfy { policy.permits($0, loopback: true) }
                && near.allSatisfy { !policy.permits($0, loopback: true) })
        #expect(!closed.permits(home[0], loopback: true))
    }

    @Test(
        "without TLS may be added what has an address in `allow`, and names where there is one, or pins",
        arguments: [
            ("http://10.1.2.3:8099", true), ("http://10.1.9.9", false), ("http://10.2.0.1", false),
            ("http://inside.test:8081", true), ("http://outside.test", true), ("nonsense", false),
        ])
    func admitted(base: String, expected: Bool) throws {
        let settings = CrawlerSettings(
            allow: try #require(CIDR.list("10.1.0.0/16")), deny: try #require(CIDR.list("10.1.9.0/24")),
            resolve: try #require(PinnedNames("inside.test=10.9.9.9")))

        #expect(settings.admits(base: base) == expected)
        #expect(!CrawlerSettings().admits(base: base))
        #expect(CrawlerSettings(resolve: settings.resolve).admits(base: base) == (base == "http://inside.test:8081"))
    }

    @Test("an outer range that is admitted does not reach an inner address that is denied")
    func outer() throws {
        let own = AddressPolicy(
            allow: try #require(CIDR.list("64:ff9b::/96,2002::/16")), deny: try #require(CIDR.list("10.0.0.0/8")))

        #expect(!own.permits(try #require(IPAddress("64:ff9b::a00:1"))))
        #expect(!own.permits(try #require(IPAddress("2002:a00:1::1"))))
        #expect(own.permits(try #require(IPAddress("64:ff9b::808:808"))))
    }

    @Test(
        "ranges that cannot be read are refused whole",
        arguments: ["10.0.0.0/33", "10.0.0/8", "x", "::/129", "10.0.0.0/-1"])
    func badRange(text: String) {
        #expect(CIDR.list("127.0.0.1," + text) == nil)
    }

    @Test("pinned names: + gives several addresses, / the next answer, the last one stays")
    func pins() throws {
        let pins = try #require(
            PinnedNames("inside.test=10.1.2.3,half.test=127.4.0.1+127.66.66.66,turn.test=8.8.8.8/127.0.0.1"))
        let texts = { (name: String) in pins.next(name)?.map(\.description) }

        #expect(
            texts("inside.test") == ["10.1.2.3"] && texts("half.test") == ["127.4.0.1", "127.66.66.66"]
                && texts("other.test") == nil)
        #expect(
            [texts("turn.test"), texts("turn.test"), texts("turn.test")] == [["8.8.8.8"], ["127.0.0.1"], ["127.0.0.1"]])
        #expect(PinnedNames("x=notanaddress") == nil && PinnedNames("x") == nil)
    }
}
