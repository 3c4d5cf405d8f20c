internal import CCurlShim
internal import HTTPTypes

extension CurlHandle {
    /// Sets the options that are the same for all hosts.
    func prepareSecurity(_ rules: SecurityRules) {
        let configuration = rules.configuration
        prepareTLS(configuration)
        // Set at all, they keep libcurl from reading the environment, once for each transfer and while others may write
        // it.
        set(CURLOPT_PROXY, "")
        set(CURLOPT_NOPROXY, "")
        for address in configuration.overrides.addresses {
            security.knownAddresses = libcurl.curl_slist_append(security.knownAddresses, address)
        }
        if security.knownAddresses != nil { halcyon_curl_set_list(easy, CURLOPT_RESOLVE, security.knownAddresses) }
    }

    /// Sets all that belongs to one hop: `request` goes to `hop`, and holds only data meant for that origin. Not needed
    /// where the rules are uniform and the request has no credentials. Everything is gone after ``reset()``, which
    /// follows because the handle is marked as altered.
    ///
    /// Throws where going on would be unsafe or useless; then libcurl must not be given the handle.
    func secure(
        _ hop: Origin,
        for request: TransferRequest,
        rules: SecurityRules
    ) throws(TransferError) {
        let proxy = try rules.proxies.proxy(for: hop)
        try check(hop, proxy, rules)
        applyTLS(hop, rules)
        try applyCredential(hop, request, rules)
        if let proxy {
            let own = try isForProxy(proxy, of: hop, request, rules) ? request.proxyCredential : nil
            if hop.isSecure, proxy.kind != .socks5 {
                security.makesTunnel = true
                security.isRequestOut = false
                set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 0)
            }
            try apply(proxy, credential: own, rules)
        }
    }

    private func check(_ hop: Origin, _ proxy: Proxy?, _ rules: SecurityRules) throws(TransferError) {
        let policy = rules.configuration.addresses
        guard policy.isRestrictive else { return }
        if proxy != nil, let objection = policy.objection(toProxied: hop.host) {
            throw .addressRefused("\(hop): \(objection)")
        }
        isAltered = true
        security.addressCheck = AddressCheck(policy, host: proxy?.host ?? hop.host)
    }

    /// Returns the reason for which there is no connection, if it is one of the settings made here.
    func objection(toConnectingTo server: String, code: CURLcode) -> TransferError? {
        let status = halcyon_curl_get_long(easy, CURLINFO_HTTP_CONNECTCODE)
        if status != 0, !(200..<300).contains(status) {
            return .proxyRefused(
                status: status,
                challenges: AuthenticationChallenge.challenges(in: security.tunnelHead.challenges)
            )
        }
        guard code == CURLE_COULDNT_CONNECT, let objection = security.addressCheck?.objection else { return nil }
        return .addressRefused("\(server): \(objection)")
    }
}
