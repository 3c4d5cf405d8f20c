internal import CCurlShim

extension CurlHandle {
    /// Returns whether the request's proxy credential, which redirects may have brought along, was given for this
    /// proxy.
    func isForProxy(
        _ proxy: Proxy,
        of hop: Origin,
        _ request: TransferRequest,
        _ rules: SecurityRules
    ) throws(TransferError) -> Bool {
        guard let origin = request.trail?.proxyCredentialOrigin, origin != hop else { return true }
        return try rules.proxies.proxy(for: origin) == proxy
    }

    /// Sets the proxy, and the credential for it.
    func apply(_ proxy: Proxy, credential own: Credential?, _ rules: SecurityRules) throws(TransferError) {
        isAltered = true
        set(CURLOPT_PROXY, proxy.url)
        if proxy.kind == .https, rules.trusts(proxy.host) {
            set(CURLOPT_PROXY_SSL_VERIFYPEER, 0)
            set(CURLOPT_PROXY_SSL_VERIFYHOST, 0)
        }
        guard let credential = own ?? proxy.credential else { return }
        try credential.validate(for: proxy.description)
        if security.makesTunnel {
            security.tunnelCredential = credential
            if !CurlLibrary.hasPrerequest { keepTunnelToItself() }
        }
        switch credential {
        case .basic(let user, let password):
            set(CURLOPT_PROXYAUTH, Int(halcyon_curl_auth_basic))
            set(CURLOPT_PROXYUSERNAME, user)
            set(CURLOPT_PROXYPASSWORD, password)
        case _ where proxy.kind == .socks5:
            throw .invalidCredential(
                "\(proxy.description): a SOCKS proxy takes a name and a password, no \(credential)"
            )
        case .digest(let user, let password):
            set(CURLOPT_PROXYAUTH, Int(halcyon_curl_auth_digest))
            set(CURLOPT_PROXYUSERNAME, user)
            set(CURLOPT_PROXYPASSWORD, password)
            security.answersProxy = true
        case .bearer(let token):
            // libcurl has no bearer tokens for proxies. Apart from the other headers, no server gets it through a
            // tunnel.
            security.proxyHeaders = libcurl.curl_slist_append(nil, "Proxy-Authorization: Bearer \(token)")
            set(CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE))
            halcyon_curl_set_list(easy, CURLOPT_PROXYHEADER, security.proxyHeaders)
        }
    }

    /// Demands a tunnel of this transfer's own, which no other uses at the same time or later. Where libcurl does not
    /// ask before a request goes out, nothing else keeps it from lending the tunnel to a transfer with another
    /// credential: before 8.19 it does not compare names and passwords for the proxy (CVE-2026-3784), and tokens, in a
    /// header, no version does.
    private func keepTunnelToItself() {
        security.hasOwnTunnel = true
        keepsConnection = false
        set(CURLOPT_FRESH_CONNECT, 1)
        set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
    }

    /// A Boolean value that indicates whether header lines belong to a proxy's answer to CONNECT.
    var isMakingTunnel: Bool {
        guard security.makesTunnel else { return false }
        guard CurlLibrary.hasPrerequest else {
            // libcurl has a status only once the server's own response begins. It keeps that of a challenge.
            return halcyon_curl_get_long(easy, CURLINFO_RESPONSE_CODE) == 0
        }
        return !security.isRequestOut
    }
}
