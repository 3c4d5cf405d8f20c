internal import CCurlShim

/// The state that a handle keeps beside libcurl's options for one hop.
struct HopSecurity {
    var addressCheck: AddressCheck?
    /// The list of CURLOPT_PROXYHEADER; libcurl does not copy it.
    var proxyHeaders: UnsafeMutablePointer<curl_slist>?
    /// The list of CURLOPT_RESOLVE; libcurl does not copy it.
    var knownAddresses: UnsafeMutablePointer<curl_slist>?
    /// A Boolean value that indicates whether libcurl waits for the server's challenge before it proves an identity,
    /// and sends the request again after it.
    var answersServer = false
    /// A Boolean value that indicates the same for the proxy's challenge.
    var answersProxy = false

    /// A Boolean value that indicates whether a proxy makes a tunnel first; its answer comes through the same callback
    /// as the response.
    var makesTunnel = false
    /// The credential that the proxy gets for the tunnel. It belongs to the connection from then on, so no request with
    /// another credential may go through it.
    var tunnelCredential: Credential?
    /// A Boolean value that indicates whether no other transfer uses the tunnel.
    var hasOwnTunnel = false
    /// A Boolean value that indicates whether the connection is open, and the next response answers the request itself.
    /// False again as soon as libcurl opens another connection, which it does by itself to repeat the request.
    var isRequestOut = false
    /// The proxy's answer.
    var tunnelHead = TunnelHead()

    /// Frees the lists, after libcurl has released the handle's options.
    func release() {
        libcurl.curl_slist_free_all(proxyHeaders)
        libcurl.curl_slist_free_all(knownAddresses)
    }
}
