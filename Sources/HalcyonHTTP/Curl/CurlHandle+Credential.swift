internal import CCurlShim
internal import HTTPTypes

extension CurlHandle {
    /// Sets the credential for the server of a hop.
    func applyCredential(
        _ hop: Origin,
        _ request: TransferRequest,
        _ rules: SecurityRules
    ) throws(TransferError) {
        // The header is the transfer's own choice.
        if request.headers[.authorization] != nil { return }
        // A redirect has removed from the request the credentials of another origin.
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

    /// Returns whether libcurl may ask again by itself after a response of this status, which then is not the last.
    func mayAnswer(status: Int) -> Bool {
        switch status {
        case 401: security.answersServer
        case 407: security.answersProxy
        default: false
        }
    }
}
