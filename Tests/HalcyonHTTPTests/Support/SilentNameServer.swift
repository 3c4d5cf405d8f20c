import FoundationEssentials
import Glibc
import HalcyonHTTP
import HalcyonSystem
import HalcyonTesting

/// A network in which the system's name server is asked and never answers, and a transport that has no other network.
///
/// Both belong to a thread that has left this machine's network, which takes rights that not every system gives.
final class SilentNameServer: Sendable {
    let transport: CurlTransport
    private let descriptor: Int32

    static let isAvailable = SilentNameServer()?.transport.shutdown() != nil

    /// `nil` where the system does not let it, or has no name server with an IPv4 address.
    init?(_ configuration: CurlTransport.Configuration = .init()) {
        guard let address = Self.systemAddress else { return nil }
        let made = Lock<(CurlTransport, Int32)?>(nil)
        let done = Gate()
        final class Work {
            let run: () -> Void
            init(_ run: @escaping () -> Void) { self.run = run }
        }
        let work = Unmanaged.passRetained(
            Work {
                // Threads that this one starts, and theirs, are in its network.
                if let descriptor = Self.listen(address), let nowhere = URL(string: "nowhere") {
                    let transport = CurlTransport(configuration: configuration)
                    // The transport's thread begins with the first transfer.
                    _ = transport.start(.patient(url: nowhere), receiver: RecordingReceiver())
                    made.withLock { $0 = (transport, descriptor) }
                }
                done.open()
            }
        )
        var thread = pthread_t()
        pthread_create(
            &thread,
            nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Work>.fromOpaque(context).takeRetainedValue().run()
                return nil
            },
            work.toOpaque()
        )
        done.block()
        pthread_join(thread, nil)
        guard let (transport, descriptor) = made.withLock({ $0 }) else { return nil }
        self.transport = transport
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// Takes the questions that have come, by the first label of the name.
    func takeNames() -> Set<String> {
        var names: Set<String> = []
        var packet = [UInt8](repeating: 0, count: 1_500)
        while true {
            let count = recv(descriptor, &packet, packet.count, Int32(MSG_DONTWAIT))
            guard count > 0 else { return names }
            // After a header of 12 bytes: the label's length, and the label (RFC 1035, section 4.1).
            guard count > 13, count > 13 + Int(packet[12]) else { continue }
            names.insert(String(decoding: packet[13..<(13 + Int(packet[12]))], as: UTF8.self))
        }
    }

    /// Of the first name server in resolv.conf(5).
    private static var systemAddress: in_addr? {
        let text = String(decoding: FileManager.default.contents(atPath: "/etc/resolv.conf") ?? Data(), as: UTF8.self)
        let servers = text.split(separator: "\n").map { $0.split(whereSeparator: \.isWhitespace) }
        guard let server = servers.first(where: { $0.first == "nameserver" && $0.count > 1 }) else { return nil }
        var address = in_addr()
        return inet_pton(AF_INET, String(server[1]), &address) == 1 ? address : nil
    }

    /// Takes the calling thread into a network of its own, in which this machine has that address, and listens there.
    private static func listen(_ server: in_addr) -> Int32? {
        // Swift imports neither: one needs `_GNU_SOURCE`, the other is variadic. The symbols are functions of these types.
        guard let unshare = dlsym(nil, "unshare"), let ioctl = dlsym(nil, "ioctl"),
            // `CLONE_NEWNET`.
            unsafeBitCast(unshare, to: (@convention(c) (Int32) -> Int32).self)(0x4000_0000) == 0
        else { return nil }
        typealias Control = @convention(c) (Int32, UInt, UnsafeMutableRawPointer?) -> Int32
        let control = unsafeBitCast(ioctl, to: Control.self)
        let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr = server
        func set(_ interface: String, _ request: Int32, _ change: (UnsafeMutableRawBufferPointer) -> Void) -> Bool {
            // struct ifreq of <net/if.h>: the name in 16 bytes, then what is set.
            var bytes = [UInt8](repeating: 0, count: 40)
            bytes.replaceSubrange(0..<interface.utf8.count, with: Array(interface.utf8))
            return bytes.withUnsafeMutableBytes { buffer in
                change(UnsafeMutableRawBufferPointer(rebasing: buffer[16...]))
                return control(descriptor, UInt(request), buffer.baseAddress) == 0
            }
        }
        let isUp = set("lo", SIOCSIFFLAGS) { $0[0] = UInt8(IFF_UP) }
        let hasAddress = set("lo:0", SIOCSIFADDR) { $0.storeBytes(of: address, as: sockaddr_in.self) }
        address.sin_port = in_port_t(53).bigEndian
        let isBound = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isUp, hasAddress, isBound else {
            close(descriptor)
            return nil
        }
        return descriptor
    }
}
