internal import FoundationEssentials

/// What a configuration says about hosts, ready to be asked for each hop. A class, because to pass so many fields by value
/// took 1,100 instructions a transfer.
final class SecurityRules: Sendable {
    let configuration: CurlTransport.Configuration
    let credentials: HostTable<Credential>
    let clientCertificates: HostTable<ClientCertificate>
    let proxies: ProxySelection
    private let trustedHosts: HostTable<Bool>
    /// Nothing depends on the host, so that most transfers need not ask.
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
            && !configuration.addresses.isRestrictive && configuration.cookies == .none
    }

    /// Whether the certificate of `host`, on whatever port, need not be verified.
    func trusts(_ host: String) -> Bool {
        trustedHosts[host: host] == true
    }
}
