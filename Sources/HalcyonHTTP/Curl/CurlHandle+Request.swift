internal import CCurlShim
internal import HTTPTypes

extension CurlHandle {
    /// Sets method, headers and body. The list returned must live until libcurl has released the handle.
    func apply(_ request: TransferRequest) -> UnsafeMutablePointer<curl_slist>? {
        // A GET sets only its header list, which it removes again.
        if request.method == .get, request.body == nil, request.headers.isEmpty { return nil }
        switch (request.method, request.body) {
        case (.get, nil): break
        case (.head, nil):
            isAltered = true
            set(CURLOPT_NOBODY, 1)
        case (let method, let body):
            isAltered = true
            if let body {
                // The size first: with it, libcurl copies that many bytes, zeros included.
                halcyon_curl_set_offset(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
                body.withUnsafeBytes { bytes in
                    // libcurl only reads through the pointer; its option type is not const.
                    let empty = UnsafeMutableRawPointer(mutating: UnsafeRawPointer(errorText))
                    let start = bytes.baseAddress.map { UnsafeMutableRawPointer(mutating: $0) } ?? empty
                    _ = halcyon_curl_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, start)
                }
            }
            set(CURLOPT_CUSTOMREQUEST, method.rawValue)
        }

        // A range counts bytes of the coded body, so it is of use only for an uncoded one.
        let acceptsAnyCoding = request.headers[.range] == nil
        if !acceptsAnyCoding {
            isAltered = true
            halcyon_curl_set_string(easy, CURLOPT_ACCEPT_ENCODING, nil)
        }

        var list: UnsafeMutablePointer<curl_slist>?
        func append(_ line: String) {
            // Out of memory leaves the list as it was.
            if let longer = libcurl.curl_slist_append(list, line) { list = longer }
        }
        for field in request.headers {
            if field.name.canonicalName == "host" { hasNamedHost = true }
            // libcurl takes "Name:" as an order to remove the header, and "Name;" as an empty one.
            append(field.value.isEmpty ? "\(field.name.rawName);" : "\(field.name.rawName): \(field.value)")
        }
        if !acceptsAnyCoding, request.headers[.acceptEncoding] == nil { append("Accept-Encoding: identity") }
        // Without this, libcurl waits a second for "100 Continue" before it sends a large body.
        if request.body != nil { append("Expect:") }
        if list != nil { halcyon_curl_set_list(easy, CURLOPT_HTTPHEADER, list) }
        return list
    }
}
