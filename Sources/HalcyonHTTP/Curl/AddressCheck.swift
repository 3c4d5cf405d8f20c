internal import CCurl

/// Tells whether the policy permits to connect to an address, and remembers why not.
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

    /// Whether a socket may be opened for that address.
    func permits(_ target: UnsafeMutablePointer<curl_sockaddr>) -> Bool {
        guard !isHostAllowed, let objection = objection(to: target) else { return true }
        if self.objection == nil { self.objection = objection }
        return false
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
