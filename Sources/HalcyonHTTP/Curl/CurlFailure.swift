internal import CCurlShim

/// The reason for which libcurl ended a transfer, in words.
struct CurlFailure {
    let code: CURLcode
    let handle: CurlHandle
    let request: TransferRequest
    /// A Boolean value that indicates whether a redirect named the URL, not the user.
    let isRedirected: Bool
    let head: ResponseHead

    /// The error of a connection that closed after some of the headers, which libcurl takes for an empty body.
    var endedInsideHead: TransferError {
        .connectionLost("\(server): the connection was closed inside the response headers")
    }

    /// The error of a body that had no other end than that of the connection, and whose content coding goes on.
    var endedInsideCodedBody: TransferError {
        .connectionLost("\(server): the connection was closed before the end of the coded body")
    }

    /// The error of a body that is as long as it should be, and whose content coding goes on.
    var codedBodyTooShort: TransferError { malformed("the body ends before its content coding does") }

    /// Returns the error of a response that libcurl accepts.
    func malformed(_ reason: String) -> TransferError {
        .malformedResponse("\(server): \(reason)")
    }

    var error: TransferError {
        if let objection = handle.objection(toConnectingTo: server, code: code) { return objection }
        switch code {
        case CURLE_URL_MALFORMAT:
            return isRedirected ? .malformedResponse(message) : .invalidURL(request.url.absoluteString)
        case CURLE_UNSUPPORTED_PROTOCOL:
            // The message of libcurl for a server that answers with something else than HTTP.
            return .malformedResponse(message)
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY:
            return .cannotFindHost(message)
        case CURLE_COULDNT_CONNECT, CURLE_PROXY, CURLE_INTERFACE_FAILED:
            return .cannotConnect(message)
        case CURLE_OPERATION_TIMEDOUT:
            // libcurl is given no other time limit.
            return .timedOut(.connect)
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS,
            CURLE_SSL_PINNEDPUBKEYNOTMATCH:
            return .untrustedServer(message)
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CACERT_BADFILE,
            CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED, CURLE_USE_SSL_FAILED,
            CURLE_SSL_SHUTDOWN_FAILED, CURLE_SSL_CRL_BADFILE, CURLE_SSL_CLIENTCERT:
            return .tlsFailure(message)
        case CURLE_RECV_ERROR where message.contains("Too large response headers"):
            // Since 8.3, libcurl accepts no more than this in all.
            return .headersTooLarge(maximum: min(request.limits.headerBytes, 300 << 10))
        case Self.tooLarge where isRequestSent:
            return .headersTooLarge(maximum: min(request.limits.headerBytes, Int(CURL_MAX_HTTP_HEADER)))
        case CURLE_RECV_ERROR where head.isComplete && message.contains("chunk"):
            // There is no code for chunks that are invalid.
            return .malformedResponse(message)
        case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_HTTP2,
            CURLE_HTTP2_STREAM:
            return .connectionLost(message)
        case CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING:
            return .malformedResponse(message)
        case CURLE_OUT_OF_MEMORY where isRequestSent && !head.isComplete:
            // libcurl 7 reports this when one line is longer than the 100 KiB it accepts.
            return .headersTooLarge(maximum: min(request.limits.headerBytes, Int(CURL_MAX_HTTP_HEADER)))
        default:
            return .other(message)
        }
    }

    /// CURLE_TOO_LARGE, which libcurl 8.6 introduced: one line, received or sent, is longer than it accepts.
    private static let tooLarge = CURLcode(rawValue: 100)

    private var isRequestSent: Bool {
        halcyon_curl_get_long(handle.easy, CURLINFO_REQUEST_SIZE) > 0
    }

    /// The server to which the request went, "host:port".
    private var server: String {
        Origin(request.url.absoluteString)?.description ?? request.url.absoluteString
    }

    /// The message of libcurl for this case, else its general one.
    private var message: String {
        let detail = String(cString: handle.errorText)
        return "\(server): \(detail.isEmpty ? CurlLibrary.text(of: code) : detail)"
    }
}
