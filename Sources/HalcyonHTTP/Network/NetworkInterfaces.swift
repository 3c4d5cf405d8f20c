internal import FoundationEssentials
internal import Glibc

/// The state of the network as this machine's interfaces and routes show it.
enum NetworkInterfaces {
    /// A Boolean value that indicates whether there is a way to other machines: a default route, or, for networks
    /// without one, an interface that is up, carries a signal and has an address that is good beyond the cable.
    ///
    /// When in doubt it is `true`: then a request is sent that may fail, where else one would be held back that might
    /// succeed.
    static var areConnected: Bool {
        RouteTable.hasDefaultRoute(
            ipv4: (try? String(contentsOfFile: "/proc/net/route", encoding: .utf8)) ?? "",
            ipv6: (try? String(contentsOfFile: "/proc/net/ipv6_route", encoding: .utf8)) ?? ""
        ) || hasUsableAddress
    }

    private static var hasUsableAddress: Bool {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return true }
        defer { freeifaddrs(first) }
        var next = first
        while let interface = next {
            if isUsable(interface.pointee) { return true }
            next = interface.pointee.ifa_next
        }
        return false
    }

    private static func isUsable(_ interface: ifaddrs) -> Bool {
        let needed = UInt32(IFF_UP | IFF_RUNNING)
        guard interface.ifa_flags & needed == needed, interface.ifa_flags & UInt32(IFF_LOOPBACK) == 0,
            let address = interface.ifa_addr
        else { return false }
        let isGood =
            switch Int32(address.pointee.sa_family) {
            case AF_INET:
                address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    !isLinkLocal(ipv4: UInt32(bigEndian: $0.pointee.sin_addr.s_addr))
                }
            case AF_INET6:
                address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                    withUnsafeBytes(of: $0.pointee.sin6_addr) { !isLinkLocal(ipv6: $0) }
                }
            default:
                false
            }
        // A bridge of containers or virtual machines is up as long as one of them runs, and leads nowhere by itself.
        let name = String(cString: interface.ifa_name)
        return isGood && access("/sys/class/net/\(name)/bridge", F_OK) != 0
    }

    /// Returns whether an address is in 169.254.0.0/16 (RFC 3927).
    private static func isLinkLocal(ipv4 address: UInt32) -> Bool { address >> 16 == 0xA9FE }

    /// Returns whether an address is in fe80::/10 (RFC 4291, section 2.5.6).
    private static func isLinkLocal(ipv6 address: UnsafeRawBufferPointer) -> Bool {
        address[0] == 0xFE && address[1] & 0xC0 == 0x80
    }
}
