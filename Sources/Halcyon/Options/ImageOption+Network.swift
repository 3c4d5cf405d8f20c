public import HTTPTypes
public import HalcyonHTTP

extension ImageOption {
    /// Sets the time that the server may stay silent, before and after the connection is established. Zero means the
    /// default, 15 s.
    public static func downloadTimeout(_ timeout: Duration) -> ImageOption {
        ImageOption(.timeouts) { $0.network.timeouts = .download(timeout) }
    }

    /// Sends these headers with the request, instead of those that it has of the same names.
    public static func headers(_ headers: HTTPFields) -> ImageOption {
        ImageOption(.headers) { $0.network.headers = headers }
    }

    /// Uses another method than the request's.
    public static func method(_ method: HTTPRequest.Method) -> ImageOption {
        ImageOption(.method) { $0.network.method = method }
    }

    /// Changes the request before it is sent, or rejects it.
    public static func requestModifier(_ modifier: some RequestModifying) -> ImageOption {
        ImageOption(.requestModifier) { $0.network.requestModifier = modifier }
    }

    /// Sends the cookies of a store, and keeps those that responses set; see ``NetworkPolicy/cookies``.
    public static func cookies(_ store: CookieStore?) -> ImageOption {
        ImageOption(.cookies) { $0.network.cookies = store }
    }

    /// Decides where redirects lead.
    public static func redirectHandler(_ handler: some RedirectHandling) -> ImageOption {
        ImageOption(.redirectHandler) { $0.network.redirectHandler = handler }
    }

    /// Supplies credentials when the server asks for them.
    public static func authenticationResponder(_ responder: some AuthenticationResponding) -> ImageOption {
        ImageOption(.authenticationResponder) { $0.network.authenticationResponder = responder }
    }

    /// Changes the head of the response before it is checked.
    public static func responseModifier(_ modifier: some ResponseModifying) -> ImageOption {
        ImageOption(.responseModifier) { $0.network.responseModifier = modifier }
    }

    /// Treats statuses outside this range as errors.
    public static func acceptedStatusCodes(_ codes: Range<Int>) -> ImageOption {
        ImageOption(.acceptedStatusCodes) { $0.network.acceptedStatusCodes = codes }
    }

    /// Treats content types other than these, such as "image/*", as errors.
    public static func acceptedContentTypes(_ types: Set<String>) -> ImageOption {
        ImageOption(.acceptedContentTypes) { $0.network.acceptedContentTypes = types }
    }

    /// Reviews the head of the response before the body is received, and may refuse it.
    public static func responseReviewer(_ reviewer: some ResponseReviewing) -> ImageOption {
        ImageOption(.responseReviewer) { $0.network.responseReviewer = reviewer }
    }

    /// Changes the body once it is complete, before it is cached; see ``DataModifying/cacheIdentity``.
    public static func dataModifier(_ modifier: some DataModifying) -> ImageOption {
        ImageOption(.dataModifier) { $0.network.dataModifier = modifier }
    }
}

extension TransferTimeouts {
    /// Returns timeouts for a server that may stay silent for `timeout`, before and after the connection is
    /// established; zero means 15 s. The whole transfer may take 5 minutes, or `timeout` if that is longer.
    public static func download(_ timeout: Duration) -> TransferTimeouts {
        let standard = TransferTimeouts.standard
        guard timeout > .zero else { return standard }
        return TransferTimeouts(connect: timeout, idle: timeout, total: max(standard.total, timeout))
    }
}
