/// The addresses that a transport may connect to.
///
/// A program that loads images from URLs of other people can be made to send requests to its own network. The check is
/// on the address that is about to be connected to, for each connection anew: however the URL spells it, whatever the
/// name resolves to that moment, and wherever a redirect leads.
///
/// Behind a proxy, the proxy chooses the addresses: its own address is checked instead, and of the targets only those
/// that are an address themselves, in whatever notation, or `localhost`. A proxy that must not reach private networks
/// has to ensure that itself.
public struct AddressPolicy: Sendable, Hashable {
    private var refusesSpecialAddresses = false
    private var allowedHosts: Set<String> = []
    private var allowedNetworks: Set<IPNetwork> = []

    /// The policy that permits every address.
    public static let any = AddressPolicy()

    /// The policy that permits only addresses of the public Internet: none that is loopback, private (RFC 1918, unique
    /// and site-local), link-local, cloud metadata, shared by a carrier (RFC 6598), multicast, broadcast, unspecified,
    /// reserved, or for documentation, nor one of version 6 that stands for such a one. No Unix socket either.
    public static let publicOnly = publicOnly(allowing: [])

    /// Returns ``publicOnly`` with exceptions: host names, addresses, or networks such as "10.1.0.0/16" and "fd00::/8".
    ///
    /// A name allows whatever it resolves to, but no names below it. A proxy in a private network has to be among them.
    public static func publicOnly(allowing exceptions: Set<String>) -> AddressPolicy {
        var policy = AddressPolicy()
        policy.refusesSpecialAddresses = true
        for exception in exceptions {
            if let network = IPNetwork(exception) {
                policy.allowedNetworks.insert(network)
            } else if let address = IPAddress(host: exception), let network = IPNetwork(address.description) {
                policy.allowedNetworks.insert(network)
            } else {
                policy.allowedHosts.insert(HostName.normalized(exception))
            }
        }
        return policy
    }

    /// A Boolean value that indicates whether there is anything to check.
    package var isRestrictive: Bool { refusesSpecialAddresses }

    /// Returns whether `host` may be connected to, whatever its address.
    package func allows(host: String) -> Bool {
        !refusesSpecialAddresses || allowedHosts.contains(HostName.normalized(host))
    }

    /// Returns the reason why no connection is made to `address`, or `nil` if it is allowed.
    package func objection(to address: IPAddress) -> String? {
        guard refusesSpecialAddresses else { return nil }
        let kind = AddressClass(address)
        guard kind != .public, !allowedNetworks.contains(where: { $0.contains(address) }) else { return nil }
        return "\(address) is no public address (\(kind.rawValue))"
    }

    /// Returns the reason why a proxy gets no request for `host`, as far as the name shows it.
    package func objection(toProxied host: String) -> String? {
        guard !allows(host: host) else { return nil }
        let name = HostName.decoded(host)
        guard !allows(host: name) else { return nil }
        if let address = IPAddress(host: name) { return objection(to: address) }
        let bare = name.hasSuffix(".") ? String(name.dropLast()) : name
        if bare == "localhost" || bare.hasSuffix(".localhost") { return "\(bare) is this machine" }
        // Full-width digits and the like become ASCII on the way to the proxy, and an address may result.
        if name.unicodeScalars.contains(where: { !$0.isASCII && $0.properties.changesWhenNFKCCaseFolded }) {
            return "\(name) could be written with plainer characters, which hides where it leads"
        }
        return nil
    }
}
