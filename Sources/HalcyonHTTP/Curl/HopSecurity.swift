internal import CCurl

/// What a handle keeps beside libcurl's options for one hop.
struct HopSecurity {
    var addressCheck: AddressCheck?
    /// Of CURLOPT_PROXYHEADER; libcurl does not copy it.
    var proxyHeaders: UnsafeMutablePointer<curl_slist>?
    /// Of CURLOPT_RESOLVE; the same.
    var knownAddresses: UnsafeMutablePointer<curl_slist>?
    /// libcurl waits for the server's challenge before it proves anything, and asks again after it.
    var answersServer = false
    /// The same with the proxy's.
    var answersProxy = false

    /// A proxy is asked for a tunnel first; what it answers comes through the same callback as the response.
    var makesTunnel = false
    /// What the proxy is shown for the tunnel. It belongs to the connection from then on, so no request that proves something
    /// else may go through it.
    var tunnelCredential: Credential?
    /// Whether no other transfer uses the tunnel.
    var hasOwnTunnel = false
    /// The connection stands, and what comes next answers the request itself. False again as soon as libcurl opens another
    /// connection, which it does by itself to ask once more.
    var isRequestOut = false
    /// What it answered.
    var tunnelHead = TunnelHead()

    /// After libcurl has let go of the handle's options.
    func release() {
        curl_slist_free_all(proxyHeaders)
        curl_slist_free_all(knownAddresses)
    }
}
