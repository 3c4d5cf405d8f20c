internal import CoreMetrics
internal import FoundationEssentials
internal import HTTPTypes
internal import Halcyon
internal import Hummingbird
internal import Logging
internal import ServerURLs
internal import Tracing

/// An answer with what its line in the log says.
struct Answer {
    var response: Response
    /// The name of the route, which is one of a few.
    var route: String
    /// The source, without its query.
    var source: String?
    /// The place that an image came from.
    var cache: String?
    /// The reason of an error.
    var error: String?

    init(_ route: String, _ response: Response) {
        self.route = route
        self.response = response
    }
}

extension ImageServer {
    /// Returns the answer to a request, records it in metrics and a span, and writes one line to the log.
    func respond(to request: Request) async -> Response {
        let clock = ContinuousClock()
        let start = clock.now
        var context = ServiceContext.topLevel
        tracer.extract(request.headers, into: &context, using: FieldExtractor())
        let span = tracer.startSpan("request", context: context, ofKind: .server)
        var answer = await ServiceContext.withValue(span.context) { await route(request) }
        var byteCount = answer.response.body.contentLength ?? 0
        if request.method == .head {
            byteCount = 0
            // With the length of the body that GET has, and none where GET has none.
            let length = answer.response.headers[.contentLength]
            answer.response = answer.response.createHeadResponse()
            answer.response.headers[.contentLength] = length
        }
        let status = Int(answer.response.status.code)
        span.operationName = answer.route
        span.attributes["http.request.method"] = request.method.rawValue
        span.attributes["http.response.status_code"] = status
        if status >= 500 { span.setStatus(SpanStatus(code: .error)) }
        span.end()
        let duration = clock.now - start
        record(answer, status, duration)
        var line: Logger.Metadata = [
            "method": "\(request.method.rawValue)", "route": "\(answer.route)", "status": "\(status)",
            "bytes": "\(byteCount)",
            "ms": "\(duration.milliseconds)",
        ]
        // Neither the signature nor the query of a source: both are capabilities.
        if let source = answer.source { line["source"] = "\(URLCoding.percentEncoded(source, keeping: ":/?@,+=&"))" }
        if let cache = answer.cache { line["cache"] = "\(cache)" }
        // In quotes: parts of a URL in it begin no field of the line.
        if let error = answer.error { line["error"] = "\(String(reflecting: error))" }
        if let trace = span.context.traceContext?.trace { line["trace"] = "\(trace)" }
        logger.info("request", metadata: line)
        return answer.response
    }

    private func record(_ answer: Answer, _ status: Int, _ duration: Duration) {
        let route = ("route", answer.route)
        Counter(label: "http.requests", dimensions: [route, ("status", "\(status)")], factory: metrics).increment()
        let (seconds, attoseconds) = duration.components
        CoreMetrics.Timer(label: "http.request.duration", dimensions: [route], factory: metrics)
            .recordNanoseconds(seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000)
        if let cache = answer.cache {
            Counter(label: "http.images", dimensions: [("source", cache)], factory: metrics).increment()
        }
    }

    /// Returns the answer of the route that a path names. It never fails, and the routes that say how the server is
    /// do not wait.
    private func route(_ request: Request) async -> Answer {
        let target = request.head.path ?? "/"
        let path = String(target.prefix { $0 != "?" })
        if path == "/cache" { return await purge(request) }
        guard request.method == .get || request.method == .head else {
            var answer = failure("method", 405, "Only GET and HEAD are answered here.")
            answer.response.headers[.allow] = "GET, HEAD"
            return answer
        }
        switch path {
        case "/health": return Answer("health", .text("ok\n", caching: "no-store"))
        case "/ready": return ready()
        case "/metrics" where settings.servesMetrics: return metricsAnswer()
        case "/", "/page.js", "/page.css", "/page/sign":
            if settings.servesPage { return page(path, request) }
        default: break
        }
        return await image(path, request)
    }

    private func ready() -> Answer {
        let isReady = queue.counts.waiting < max(1, settings.limits.queue)
        var response = Response.text(isReady ? "ready\n" : "busy\n", caching: "no-store")
        if !isReady { response.status = .serviceUnavailable }
        return Answer("ready", response)
    }

    private func metricsAnswer() -> Answer {
        let counts = queue.counts
        Meter(label: "queue.running", factory: metrics).set(counts.running)
        Meter(label: "queue.waiting", factory: metrics).set(counts.waiting)
        var response = Response.text(metrics.text, caching: "no-store")
        response.headers[.contentType] = "text/plain; version=0.0.4; charset=utf-8"
        return Answer("metrics", response)
    }

    /// Returns an error as text.
    func failure(_ route: String, _ status: Int, _ message: String) -> Answer {
        var response = Response.text(message + "\n", caching: CachingFields.value(forStatus: status))
        response.status = HTTPResponse.Status(code: status)
        if status == 429 || status == 503 { response.headers[.retryAfter] = "1" }
        if let origin = settings.allowedOrigin { response.headers[.accessControlAllowOrigin] = origin }
        var answer = Answer(route, response)
        answer.error = message
        return answer
    }
}

extension Response {
    /// A text.
    static func text(_ text: String, type: String = "text/plain; charset=utf-8", caching: String) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: type, .cacheControl: caching, .xContentTypeOptions: "nosniff"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text))
        )
    }
}

extension Duration {
    /// In milliseconds, with one decimal.
    fileprivate var milliseconds: String {
        let tenths = components.seconds * 10_000 + components.attoseconds / 100_000_000_000_000
        return "\(tenths / 10).\(tenths % 10)"
    }
}

/// Reads fields of a request for a tracer.
private struct FieldExtractor: Extractor {
    func extract(key: String, from carrier: HTTPFields) -> String? {
        HTTPField.Name(key).flatMap { carrier[$0] }
    }
}
