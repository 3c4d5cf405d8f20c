internal import CCurl

/// What a handle keeps beside libcurl's options for one hop.
struct HopSecurity {
    /// libcurl holds an unretained pointer to it while the handle's transfer lasts.
    var addressCheck: AddressCheck?
    /// Of CURLOPT_PROXYHEADER; libcurl does not copy it.
    var proxyHeaders: UnsafeMutablePointer<curl_slist>?
    /// Of CURLOPT_RESOLVE; the same.
    var knownAddresses: UnsafeMutablePointer<curl_slist>?
    /// libcurl waits for the server's challenge before it proves anything, and asks again after it.
    var answersServer = false
    /// The same with the proxy's.
    var answersProxy = false

    /// After libcurl has let go of the handle's options.
    func release() {
        curl_slist_free_all(proxyHeaders)
        curl_slist_free_all(knownAddresses)
    }
}
