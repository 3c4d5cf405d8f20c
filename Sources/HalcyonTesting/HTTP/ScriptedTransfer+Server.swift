public import FoundationEssentials
public import HTTPTypes
public import HalcyonHTTP

/// The functions by which a test plays the server.
extension ScriptedTransfer {
    /// Delivers the head of the response. `url` is the request's unless given, as after a redirect. The length of the
    /// body is taken from `Content-Length`, unless there is a `Content-Encoding`.
    public func respond(status: Int = 200, headers: HTTPFields = [:], url: URL? = nil) {
        let length = headers[.contentEncoding] == nil ? headers[.contentLength].flatMap(Int.init) : nil
        let response = TransferResponse(
            status: status,
            headers: headers,
            url: url ?? request.url,
            expectedBodyBytes: length
        )
        deliver(.response(response))
    }

    /// Delivers a piece of the body.
    public func send(_ bytes: Data) {
        deliver(.bytes(bytes))
    }

    /// Delivers a piece of the body.
    public func send(_ bytes: [UInt8]) {
        deliver(.bytes(Data(bytes)))
    }

    /// Ends the transfer well.
    public func finish(_ metrics: TransferMetrics = TransferMetrics()) {
        deliver(.end(.success(metrics)))
    }

    /// Ends the transfer with an error.
    public func fail(_ error: TransferError) {
        deliver(.end(.failure(error)))
    }

    /// Responds, sends and finishes as `route` says.
    public func answer(_ route: ScriptedTransport.Route) {
        if let error = route.error { return fail(error) }
        var headers = route.headers
        if headers[.contentLength] == nil { headers[.contentLength] = String(route.body.count) }
        respond(status: route.status, headers: headers)
        if !route.body.isEmpty, request.method != .head { send(route.body) }
        finish(TransferMetrics(bodyBytesReceived: route.body.count))
    }
}
