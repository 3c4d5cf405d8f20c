internal import CCurlShim

/// Checks whether the policy permits a connection to an address, and keeps the reason why not.
final class AddressCheck {
    private let policy: AddressPolicy
    private let isHostAllowed: Bool
    /// The first objection.
    private(set) var objection: String?

    /// Creates a check for connections to `host`, whatever addresses its name has.
    init(_ policy: AddressPolicy, host: String) {
        self.policy = policy
        isHostAllowed = policy.allows(host: host)
    }

    /// Returns whether a socket may be opened for that address.
    func permits(_ target: UnsafeMutablePointer<curl_sockaddr>) -> Bool {
        guard !isHostAllowed, let objection = objection(to: target) else { return true }
        if self.objection == nil { self.objection = objection }
        return false
    }

    private func objection(to target: UnsafeMutablePointer<curl_sockaddr>) -> String? {
        guard let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return "an address without a place" }
        // The bytes declared as a `sockaddr` are as many as `addrlen` says: libcurl has room for every family there.
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
