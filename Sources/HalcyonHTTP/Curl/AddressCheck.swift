internal import CCurl
internal import Glibc

/// Opens libcurl's sockets, unless the policy forbids the address, and remembers why.
final class AddressCheck {
    private let policy: AddressPolicy
    private let isHostAllowed: Bool
    /// The first objection.
    private(set) var objection: String?

    /// For connections to `host`, whatever addresses its name has.
    init(_ policy: AddressPolicy, host: String) {
        self.policy = policy
        isHostAllowed = policy.allows(host: host)
    }

    static let callback: curl_opensocket_callback = { context, _, address in
        guard let context, let address else { return -1 }
        return Unmanaged<AddressCheck>.fromOpaque(context).takeUnretainedValue().open(address)
    }

    private func open(_ target: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
        if !isHostAllowed, let objection = objection(to: target) {
            if self.objection == nil { self.objection = objection }
            return -1  // CURL_SOCKET_BAD
        }
        return socket(
            target.pointee.family,
            target.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue),
            target.pointee.protocol
        )
    }

    private func objection(to target: UnsafeMutablePointer<curl_sockaddr>) -> String? {
        guard let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return "an address without a place" }
        // What is declared as a `sockaddr` is as long as `addrlen` says: libcurl has room for every family there.
        let bytes = UnsafeRawBufferPointer(
            start: UnsafeRawPointer(target) + offset,
            count: Int(target.pointee.addrlen)
        )
        guard let address = IPAddress(socketAddress: bytes) else {
            return "a socket of family \(target.pointee.family) is no public address"
        }
        return policy.objection(to: address)
    }
}
