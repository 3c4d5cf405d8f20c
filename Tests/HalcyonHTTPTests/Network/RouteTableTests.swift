import Testing

@testable import HalcyonHTTP

@Suite("The kernel's routes")
struct RouteTableTests {
    private static let header = "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT\n"
    private static let zeros = String(repeating: "0", count: 32)

    @Test(
        "lead anywhere over IPv4 if one is for every address, up, and does not refuse",
        arguments: [
            ("eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0", true),
            ("ppp0\t00000000\t00000000\t0001\t0\t0\t0\t00000000\t0\t0\t0", true),
            ("eth0\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0", false),
            ("eth0\t00000000\t010200C0\t0002\t0\t0\t0\t00000000\t0\t0\t0", false),
            ("*\t00000000\t00000000\t0201\t0\t0\t0\t00000000\t0\t0\t0", false),
            ("eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000080\t0\t0\t0", false),
            ("eth0\t00000000", false), ("", false),
        ]
    )
    func ipv4(row: String, isDefault: Bool) {
        #expect(RouteTable.hasDefaultRoute(ipv4: Self.header + row, ipv6: "") == isDefault)
    }

    @Test(
        "lead anywhere over IPv6 likewise; every machine has one that refuses, at the loopback interface",
        arguments: [
            ("00", "fd000000000000000000000000000001", "00000003", "eth0", true),
            ("00", zeros, "00200200", "lo", false), ("00", zeros, "00000001", "lo", false),
            ("08", zeros, "00000003", "eth0", false), ("00", zeros, "00200201", "eth0", false),
        ]
    )
    func ipv6(prefix: String, gateway: String, flags: String, interface: String, isDefault: Bool) {
        let zeros = Self.zeros
        let row = "\(zeros) \(prefix) \(zeros) 00 \(gateway) 00000400 00000002 00000000 \(flags)     \(interface)\n"
        #expect(RouteTable.hasDefaultRoute(ipv4: Self.header, ipv6: row) == isDefault)
    }
}
