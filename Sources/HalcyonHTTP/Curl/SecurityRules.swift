internal import FoundationEssentials

/// The rules of a configuration for hosts, prepared for each hop. A class, because to pass so many fields by value took
/// 1,100 instructions a transfer.
final class SecurityRules: Sendable {
    let configuration: CurlTransport.Configuration
    let credentials: HostTable<Credential>
    let clientCertificates: HostTable<ClientCertificate>
    let proxies: ProxySelection
    private let trustedHosts: HostTable<Bool>
    /// A Boolean value that indicates whether no rule depends on the host, so that most transfers need no look-up.
    let isUniform: Bool

    init(_ configuration: CurlTransport.Configuration) {
        self.configuration = configuration
        credentials = HostTable(configuration.credentials)
        clientCertificates = HostTable(configuration.clientCertificates)
        trustedHosts = HostTable(
            Dictionary(configuration.trustedHosts.map { ($0, true) }, uniquingKeysWith: { first, _ in first })
        )
        proxies = ProxySelection(
            configuration.proxies,
            environment: configuration.overrides.environment ?? ProcessInfo.processInfo.environment
        )
        isUniform =
            credentials.isEmpty && clientCertificates.isEmpty && trustedHosts.isEmpty && proxies.isEmpty
            && !configuration.addresses.isRestrictive
    }

    /// Returns whether the certificate of `host`, on whatever port, need not be verified.
    func trusts(_ host: String) -> Bool {
        trustedHosts[host: host] == true
    }
}
