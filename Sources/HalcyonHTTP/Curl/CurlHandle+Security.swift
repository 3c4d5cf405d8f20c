internal import CCurl
internal import CCurlShim
internal import HTTPTypes

extension CurlHandle {
    /// Sets what is the same for all hosts.
    func prepareSecurity(_ rules: SecurityRules, cookies: CookieJar?) {
        let configuration = rules.configuration
        if let authorities = configuration.certificateAuthorities {
            authorities.withUnsafeBytes { bytes in
                for option in [CURLOPT_CAINFO_BLOB, CURLOPT_PROXY_CAINFO_BLOB] {
                    halcyon_curl_set_blob(easy, option, bytes.baseAddress, bytes.count)
                }
            }
        } else if let file = configuration.certificateAuthorityFile {
            set(CURLOPT_CAINFO, file)
            set(CURLOPT_PROXY_CAINFO, file)
        }
        let version = configuration.minimumTLSVersion == .v1_3 ? halcyon_curl_tls_1_3 : halcyon_curl_tls_1_2
        set(CURLOPT_SSLVERSION, version)
        set(CURLOPT_PROXY_SSLVERSION, version)
        // Set at all, they keep libcurl from reading the environment, once for each transfer and while others may write it.
        set(CURLOPT_PROXY, "")
        set(CURLOPT_NOPROXY, "")
        cookies?.attach(to: self)
        for address in configuration.overrides.addresses {
            security.knownAddresses = curl_slist_append(security.knownAddresses, address)
        }
        if security.knownAddresses != nil { halcyon_curl_set_list(easy, CURLOPT_RESOLVE, security.knownAddresses) }
    }

    /// Sets all that belongs to one hop: `request` goes to `hop`, and holds what is meant for that origin only. Not needed
    /// where the rules are uniform and the request has no credentials. Everything is gone after ``reset()``, which follows
    /// because the handle is marked as altered.
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
        if rules.configuration.cookies != .none, request.headers[.cookie] != nil {
            // libcurl would send both.
            isAltered = true
            halcyon_curl_set_share(easy, nil)
            halcyon_curl_set_string(easy, CURLOPT_COOKIEFILE, nil)
        }
    }

    // MARK: Addresses

    private func check(_ hop: Origin, _ proxy: Proxy?, _ rules: SecurityRules) throws(TransferError) {
        let policy = rules.configuration.addresses
        guard policy.isRestrictive else { return }
        if proxy != nil, let objection = policy.objection(toProxied: hop.host) {
            throw .addressRefused("\(hop): \(objection)")
        }
        isAltered = true
        security.addressCheck = AddressCheck(policy, host: proxy?.host ?? hop.host)
    }

    // MARK: TLS

    private func applyTLS(_ hop: Origin, _ rules: SecurityRules) {
        guard hop.isSecure else { return }
        // A connection that was made like this serves only transfers of the same settings: libcurl compares them before it
        // uses one again, and the same host always has the same settings here.
        if rules.trusts(hop.host) {
            isAltered = true
            set(CURLOPT_SSL_VERIFYPEER, 0)
            set(CURLOPT_SSL_VERIFYHOST, 0)
        }
        guard let certificate = rules.clientCertificates[hop] else { return }
        isAltered = true
        switch certificate.container {
        case .pem(let certificateFile, let keyFile):
            set(CURLOPT_SSLCERTTYPE, "PEM")
            set(CURLOPT_SSLCERT, certificateFile)
            set(CURLOPT_SSLKEY, keyFile)
        case .pkcs12(let file):
            set(CURLOPT_SSLCERTTYPE, "P12")
            set(CURLOPT_SSLCERT, file)
        }
        // Without one, OpenSSL would ask at the terminal.
        set(CURLOPT_KEYPASSWD, certificate.passphrase ?? "")
    }

    // MARK: Credentials

    private func applyCredential(
        _ hop: Origin,
        _ request: TransferRequest,
        _ rules: SecurityRules
    ) throws(TransferError) {
        // The header is the transfer's own choice.
        if request.headers[.authorization] != nil { return }
        // A redirect has taken away from the request what was meant for another origin.
        var credential = request.credential ?? request.urlCredential
        let wasSecure = request.trail?.wasSecure ?? false
        if credential == nil, hop.isSecure || !wasSecure { credential = rules.credentials[hop] }
        guard let credential else { return }
        try credential.validate(for: hop.description)
        isAltered = true
        switch credential {
        case .basic(let user, let password):
            set(CURLOPT_HTTPAUTH, Int(halcyon_curl_auth_basic))
            set(CURLOPT_USERNAME, user)
            set(CURLOPT_PASSWORD, password)
        case .digest(let user, let password):
            set(CURLOPT_HTTPAUTH, Int(halcyon_curl_auth_digest))
            set(CURLOPT_USERNAME, user)
            set(CURLOPT_PASSWORD, password)
            security.answersServer = true
        case .bearer(let token):
            set(CURLOPT_HTTPAUTH, Int(halcyon_curl_auth_bearer))
            set(CURLOPT_XOAUTH2_BEARER, token)
        }
    }

    // MARK: Proxies

    /// Whether the request's proxy credential, which redirects may have brought along, was given for this proxy.
    private func isForProxy(
        _ proxy: Proxy,
        of hop: Origin,
        _ request: TransferRequest,
        _ rules: SecurityRules
    ) throws(TransferError) -> Bool {
        guard let origin = request.trail?.proxyCredentialOrigin, origin != hop else { return true }
        return try rules.proxies.proxy(for: origin) == proxy
    }

    private func apply(_ proxy: Proxy, credential own: Credential?, _ rules: SecurityRules) throws(TransferError) {
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
            // libcurl has no bearer tokens for proxies. Apart from the other headers, no server gets it through a tunnel.
            security.proxyHeaders = curl_slist_append(nil, "Proxy-Authorization: Bearer \(token)")
            set(CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE))
            halcyon_curl_set_list(easy, CURLOPT_PROXYHEADER, security.proxyHeaders)
        }
    }

    /// A tunnel of this transfer's own, which no other uses at the same time or later. Where libcurl does not ask before a
    /// request goes out, nothing else keeps it from lending the tunnel to a transfer with another credential: before 8.19 it
    /// does not compare names and passwords for the proxy (CVE-2026-3784), and tokens, in a header, no version does.
    private func keepTunnelToItself() {
        security.hasOwnTunnel = true
        keepsConnection = false
        set(CURLOPT_FRESH_CONNECT, 1)
        set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
    }

    // MARK: What came of it

    /// Whether header lines belong to a proxy's answer to CONNECT.
    var isMakingTunnel: Bool {
        guard security.makesTunnel else { return false }
        guard CurlLibrary.hasPrerequest else {
            // libcurl has a status only once the server's own response begins. It keeps that of a challenge.
            return halcyon_curl_get_long(easy, CURLINFO_RESPONSE_CODE) == 0
        }
        return !security.isRequestOut
    }

    /// Whether libcurl may ask again by itself after a response of this status, which then is not the last.
    func mayAnswer(status: Int) -> Bool {
        switch status {
        case 401: security.answersServer
        case 407: security.answersProxy
        default: false
        }
    }

    /// Why no connection came about, if it was for what has been set here.
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
