// Not used here. But libcurl's header declares the kinds of sockets, too, and the compiler (6.3.1), when it compiles
// the module as a whole, then finds SOCK_RAW nowhere else.
internal import CCurlShim
internal import Dispatch
internal import Glibc
internal import HalcyonSystem

/// Reports when the kernel changes an interface, an address or a route (rtnetlink(7)).
///
/// The messages are not read for their content: the kernel drops some when there are many (`ENOBUFS`), so the receiver
/// of a report has to read the whole state anyway.
package final class NetlinkListener: Sendable {
    /// `SOCK_RAW` of <sys/socket.h>, which a release build does not find in Glibc when libcurl's header, which includes
    /// that one too, is in the module cache first (Swift 6.3.1).
    private static let rawSocket: Int32 = 3

    /// `sockaddr_nl` of <linux/netlink.h>, which Swift does not import.
    private struct Address {
        var family = UInt16(AF_NETLINK)
        var padding: UInt16 = 0
        /// The port; the kernel chooses it.
        var port: UInt32 = 0
        var groups: UInt32
    }

    /// `RTMGRP_LINK`, `RTMGRP_IPV4_IFADDR`, `RTMGRP_IPV4_ROUTE`, `RTMGRP_IPV6_IFADDR`, `RTMGRP_IPV6_ROUTE` of
    /// <linux/rtnetlink.h>.
    private static let groups: UInt32 = 0x1 | 0x10 | 0x40 | 0x100 | 0x400

    private let source: Lock<(any DispatchSourceRead)?>

    /// Begins to listen; `nil` where the system does not permit it.
    ///
    /// - Parameter onChange: Called after one or more changes, one call at a time, until ``close()``.
    package init?(onChange: @escaping @Sendable () -> Void) {
        let descriptor = socket(AF_NETLINK, Self.rawSocket | O_CLOEXEC | O_NONBLOCK, 0)
        guard descriptor >= 0 else { return nil }
        let address = Address(groups: Self.groups)
        let isBound = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<Address>.size)) == 0
            }
        }
        guard isBound else {
            Glibc.close(descriptor)
            return nil
        }
        let queue = DispatchQueue(label: "halcyon.network")
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler {
            Self.drain(descriptor)
            onChange()
        }
        // Only once the source has released it: else its number could be another file's by then.
        source.setCancelHandler { _ = Glibc.close(descriptor) }
        source.activate()
        self.source = Lock(source)
    }

    deinit {
        close()
    }

    /// Ends listening; the descriptor is closed soon after. A call of `onChange` that is under way may still finish.
    package func close() {
        let source = source.withLock { source in
            defer { source = nil }
            return source
        }
        source?.cancel()
    }

    private static func drain(_ descriptor: Int32) {
        withUnsafeTemporaryAllocation(byteCount: 8_192, alignment: 8) { buffer in
            while true {
                let count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
                if count > 0 { continue }
                // Lost messages are no end: there may be more behind the gap.
                guard count < 0, errno == EINTR || errno == ENOBUFS else { return }
            }
        }
    }
}
