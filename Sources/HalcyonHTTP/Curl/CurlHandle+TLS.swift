internal import CCurlShim

extension CurlHandle {
    /// Sets the authorities that are trusted and the lowest version, which are the same for all hosts.
    func prepareTLS(_ configuration: CurlTransport.Configuration) {
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
    }

    /// Sets the trust in the server of a hop, and the certificate shown to it.
    func applyTLS(_ hop: Origin, _ rules: SecurityRules) {
        guard hop.isSecure else { return }
        // A connection that was made like this serves only transfers of the same settings: libcurl compares them before
        // it uses one again, and the same host always has the same settings here.
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
}
