/// Reads the kernel's routes in the form of `/proc/net/route` and `/proc/net/ipv6_route`.
enum RouteTable {
    /// `RTF_UP` of <linux/route.h>: the route can be used.
    private static let up = 0x1
    /// `RTF_REJECT` of <linux/route.h>: the route refuses.
    private static let reject = 0x200

    /// Returns whether a packet for any address has a route.
    static func hasDefaultRoute(ipv4: String, ipv6: String) -> Bool {
        rows(ipv4).contains { isDefault($0, length: 8, destination: 1, mask: 7, flags: 3, interface: 0) }
            || rows(ipv6).contains { isDefault($0, length: 32, destination: 0, mask: 1, flags: 8, interface: 9) }
    }

    private static func rows(_ text: String) -> [[Substring]] {
        text.split(separator: "\n").map { $0.split { $0 == " " || $0 == "\t" } }
    }

    /// Returns whether a row is a default route: its mask (IPv4) or the length of one (IPv6) is zeros.
    private static func isDefault(
        _ row: [Substring],
        length: Int,
        destination: Int,
        mask: Int,
        flags: Int,
        interface: Int
    ) -> Bool {
        guard row.count > max(destination, mask, flags, interface), row[destination].count == length,
            row[destination].allSatisfy({ $0 == "0" }), row[mask].allSatisfy({ $0 == "0" }),
            let flags = Int(row[flags], radix: 16)
        else { return false }
        return flags & up != 0 && flags & reject == 0 && row[interface] != "lo"
    }
}
