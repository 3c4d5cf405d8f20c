internal import CCurl
internal import CCurlShim

extension CurlHandle {
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
