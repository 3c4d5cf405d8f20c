import HalcyonHTTP
import Testing

@Suite("an address is classified")
struct AddressClassTests {
    @Test(
        "by the registries of special addresses, up to the last one of each range",
        arguments: [
            ("0.0.0.0", .unspecified), ("0.255.255.255", .unspecified), ("1.0.0.0", .public),
            ("9.255.255.255", .public), ("10.0.0.0", .privateNetwork), ("10.255.255.255", .privateNetwork),
            ("11.0.0.0", .public), ("100.63.255.255", .public), ("100.64.0.0", .carrierNetwork),
            ("100.127.255.255", .carrierNetwork), ("100.128.0.0", .public), ("126.255.255.255", .public),
            ("127.0.0.1", .loopback), ("127.255.255.255", .loopback), ("128.0.0.0", .public),
            ("169.253.255.255", .public), ("169.254.0.0", .linkLocal), ("169.254.169.254", .cloudMetadata),
            ("169.254.169.253", .linkLocal), ("169.254.255.255", .linkLocal), ("169.255.0.0", .public),
            ("168.63.129.16", .cloudMetadata), ("168.63.129.15", .public),
            ("172.15.255.255", .public), ("172.16.0.0", .privateNetwork), ("172.31.255.255", .privateNetwork),
            ("172.32.0.0", .public), ("192.0.0.0", .reserved), ("192.0.0.255", .reserved), ("192.0.1.0", .public),
            ("192.0.2.1", .documentation), ("192.88.99.1", .reserved), ("192.167.255.255", .public),
            ("192.168.0.0", .privateNetwork), ("192.168.255.255", .privateNetwork), ("192.169.0.0", .public),
            ("198.17.255.255", .public), ("198.18.0.0", .benchmarking), ("198.19.255.255", .benchmarking),
            ("198.20.0.0", .public), ("198.51.100.7", .documentation), ("203.0.113.7", .documentation),
            ("223.255.255.255", .public), ("224.0.0.1", .multicast), ("239.255.255.255", .multicast),
            ("240.0.0.0", .reserved), ("255.255.255.254", .reserved), ("255.255.255.255", .broadcast),
        ] as [(String, AddressClass)]
    )
    func version4(text: String, expected: AddressClass) throws {
        let address = try #require(IPAddress(text))
        #expect(AddressClass(address) == expected)
        // In every disguise of version 6 it is of the same class.
        for prefix in ["::ffff:", "64:ff9b::"] {
            let disguised = try #require(IPAddress(prefix + text))
            #expect(AddressClass(disguised) == expected, "\(disguised)")
        }
        guard case .v4(let number) = address else { return }
        let group = { (value: UInt32) in String(value & 0xFFFF, radix: 16) }
        let sixToFour = try #require(IPAddress("2002:\(group(number >> 16)):\(group(number))::1"))
        #expect(AddressClass(sixToFour) == expected)
        for prefix in ["::", "::ffff:0:"] where number > 0xFFFF {
            let given = try #require(IPAddress(prefix + text))
            #expect(AddressClass(given) == (expected == .public ? .reserved : expected), "\(given)")
        }
    }

    @Test(
        "of version 6 as well",
        arguments: [
            ("::", .unspecified), ("::1", .loopback), ("2606:4700::1111", .public), ("2a00:1450::1", .public),
            ("fc00::1", .privateNetwork), ("fdff:ffff::1", .privateNetwork), ("fe80::1", .linkLocal),
            ("febf::1", .linkLocal), ("fec0::1", .privateNetwork), ("feff::1", .privateNetwork),
            ("ff02::1", .multicast), ("2001:db8::1", .documentation), ("3fff:fff::1", .documentation),
            ("3fff:1000::1", .public), ("2001::1", .reserved), ("2001:1ff::1", .reserved), ("2001:200::1", .public),
            ("2001:2::1", .benchmarking), ("100::1", .reserved), ("5f00::1", .reserved), ("4000::1", .reserved),
            ("64:ff9b:1::1", .privateNetwork), ("64:ff9b::8.8.8.8", .public), ("fd00:ec2::254", .privateNetwork),
        ] as [(String, AddressClass)]
    )
    func version6(text: String, expected: AddressClass) throws {
        #expect(AddressClass(try #require(IPAddress(text))) == expected)
    }

    @Test(
        "in every notation that a URL may have",
        arguments: [
            "127.0.0.1", "127.1", "127.0.1", "0x7f.1", "0X7F000001", "2130706433", "017700000001", "0177.0.0.01",
            "127.0.0.1.",
        ]
    )
    func notations(host: String) {
        #expect(IPAddress(host: host) == .v4(0x7F00_0001))
    }

    @Test(
        "unless it is none",
        arguments: [
            "", ".", "example.com", "127.0.0.1.example", "127.0.0.1 x", "1.2.3.4.5", "256.1.1.1", "[::1", "::1]",
            "[127.0.0.1]x", "0x", "4294967296", "127.0.0.1\0.example",
        ]
    )
    func names(host: String) {
        #expect(IPAddress(host: host) == nil)
    }

    @Test("with brackets and a zone, and is written as RFC 5952 has it")
    func brackets() throws {
        #expect(IPAddress(host: "[::1]") == .v6(0, 1))
        #expect(IPAddress(host: "[fe80::1%25eth0]") == .v6(0xFE80_0000_0000_0000, 1))
        #expect(try #require(IPAddress("2001:DB8:0:0::1")).description == "2001:db8::1")
        #expect(IPAddress.v4(0x7F00_0001).description == "127.0.0.1")
    }

    @Test("as part of a network by its first bits")
    func networks() throws {
        func contains(_ network: String, _ address: String) throws -> Bool {
            try #require(IPNetwork(network)).contains(try #require(IPAddress(address)))
        }
        #expect(try contains("10.0.0.0/8", "10.255.0.1"))
        #expect(try !contains("10.0.0.0/8", "11.0.0.1"))
        #expect(try contains("0.0.0.0/0", "255.255.255.255"))
        #expect(try contains("192.168.1.1", "192.168.1.1"))
        #expect(try !contains("192.168.1.1/32", "192.168.1.2"))
        #expect(try contains("fc00::/7", "fdff::1"))
        #expect(try contains("2001:db8::/65", "2001:db8::7fff:0:0:1"))
        #expect(try !contains("2001:db8::/65", "2001:db8::8000:0:0:1"))
        #expect(try contains("::/0", "ffff::1"))
        #expect(try !contains("::/0", "1.2.3.4"))
        for text in ["", "/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "10.0.0.0/8/8", "::/129", "host", "10/8"] {
            #expect(IPNetwork(text) == nil, "\(text)")
        }
    }
}
