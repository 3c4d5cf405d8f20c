internal import CCurl
internal import CCurlShim
internal import FoundationEssentials
internal import HalcyonConcurrency

/// A transfer while libcurl works on it: one easy handle, the response as it comes in, and the bounds it must keep to.
///
/// Belongs to the event loop's thread. libcurl holds an unretained pointer to it, from `configure` until the handle is
/// taken out of the multi handle; the loop's list of running transfers keeps it alive for that time.
final class CurlExchange {
    /// What came out of an exchange.
    enum Outcome {
        case completed(Result<TransferMetrics, TransferError>)
        /// The transfer goes on with another request.
        case redirected(Redirection, RedirectHistory)
    }

    /// Which connection the exchange takes.
    private enum Connection {
        case any
        /// A new one, once it has let go of the one it has, where bytes wait that nobody asked for.
        case newNext
        case new
    }

    /// A redirect's body is read so that its connection can be used again, as long as that is quicker than to open
    /// one: this many bytes, and not longer than this.
    private static let redirectBodyLimit = 64 << 10
    private static let redirectBodyNanoseconds: Int64 = 200_000_000

    let entry: TransferScheduler<CurlTransfer>.Entry
    let transfer: CurlTransfer
    let handle: CurlHandle
    /// Where the loop keeps this.
    var index = 0

    private let startedAt: MonotonicTime
    private let totalDeadline: MonotonicTime
    private let idleNanoseconds: Int64
    /// Unsafe, which spares a count up and down with each header line: the loop outlives its transfers.
    private unowned(unsafe) let loop: CurlEventLoop
    /// Unchecked exclusivity, here and below: only the loop's thread comes here, nothing that is called while one of
    /// these is being changed leads back, and the dynamic check costs more than the access it guards.
    @exclusivity(unchecked)
    private var head: ResponseHead
    private var headerList: UnsafeMutablePointer<curl_slist>?
    @exclusivity(unchecked)
    private var lastActivity: MonotonicTime
    private var uploadedBytes: Int64 = 0
    @exclusivity(unchecked)
    private var bodyBytes = 0
    /// Undoes the content coding of the body, once some of a coded one has come.
    @exclusivity(unchecked)
    private var decoder: ContentDecoder?
    /// Set once the head of a response that is a redirect to follow has come.
    private var redirection: Redirection?
    private var redirectedAt = MonotonicTime.distantFuture
    @exclusivity(unchecked)
    private var isHeadDelivered = false
    @exclusivity(unchecked)
    private var isPaused = false
    private var connection = Connection.any
    /// Set when this side ends the transfer; libcurl's own code then says nothing.
    private var failure: TransferError?

    init(_ entry: TransferScheduler<CurlTransfer>.Entry, handle: CurlHandle, loop: CurlEventLoop) {
        self.entry = entry
        transfer = entry.element
        self.handle = handle
        self.loop = loop
        startedAt = loop.now
        lastActivity = loop.now
        let timeouts = loop.clocked(transfer.request.timeouts)
        totalDeadline =
            transfer.history?.totalDeadline ?? loop.now.adding(nanoseconds: timeouts.totalNanoseconds)
        head = ResponseHead(byteCount: transfer.history?.headerBytes ?? 0)
        idleNanoseconds = timeouts.idleNanoseconds
    }

    /// Sets what is particular to this transfer; false if libcurl takes it not.
    func configure() -> Bool {
        let context = Unmanaged.passUnretained(self).toOpaque()
        let easy = handle.easy
        halcyon_curl_set_pointer(easy, CURLOPT_PRIVATE, context)
        halcyon_curl_set_pointer(easy, CURLOPT_HEADERDATA, context)
        halcyon_curl_set_pointer(easy, CURLOPT_WRITEDATA, context)
        halcyon_curl_set_prerequest_context(easy, context)
        let isCleartextHTTP2 = loop.configuration.cleartextHTTP2 && !entry.origin.isSecure
        let sharesConnection = !isCleartextHTTP2 || CurlLibrary.sharesCleartextHTTP2
        handle.bounds = CurlHandle.Bounds(
            connectMilliseconds: loop.clocked(transfer.request.timeouts).connectMilliseconds,
            waitsForMultiplexing: sharesConnection && (entry.origin.isSecure || isCleartextHTTP2),
            sharesConnection: sharesConnection
        )
        setPriority(transfer.priority)
        do throws(TransferError) {
            let first = transfer.firstOrigin ?? entry.origin
            try handle.secure(entry.origin, for: transfer.request, from: first, rules: loop.rules)
        } catch {
            fail(error)
            return false
        }
        headerList = handle.apply(transfer.request)
        return halcyon_curl_set_string(easy, CURLOPT_URL, transfer.url) == CURLE_OK
    }

    /// HTTP/2 weighs streams from 1 to 256 (RFC 7540, section 5.3.2).
    func setPriority(_ priority: LoadPriority) {
        handle.streamWeight = 16 << priority.rawValue
    }

    /// After libcurl has let go of the handle.
    func release() {
        guard let list = headerList else { return }
        halcyon_curl_set_list(handle.easy, CURLOPT_HTTPHEADER, nil)
        curl_slist_free_all(list)
        headerList = nil
    }

    /// Whether libcurl met no credentials in the URL, which it keeps with the handle.
    var isStraight: Bool { !transfer.mayHoldCredentials }

    /// Whether it can be seen from outside that bytes wait at the connection: TLS and HTTP/2 send some of their own.
    var isPlain: Bool { !entry.origin.isSecure && !loop.configuration.cleartextHTTP2 }

    /// Whether the exchange, which has sent nothing yet, is to be begun again on a new connection. It is set for that then.
    func takesNewConnection() -> Bool {
        guard connection == .newNext, failure == nil, !transfer.isCancelled else { return false }
        connection = .new
        handle.isAltered = true
        handle.set(CURLOPT_FRESH_CONNECT, 1)
        return true
    }

    /// Notes why this side ends the transfer. The first reason counts.
    func fail(_ error: TransferError) {
        if failure == nil { failure = error }
    }

    /// Whether the connection carries several transfers at a time.
    var isMultiplexed: Bool {
        head.isComplete && halcyon_curl_get_long(handle.easy, CURLINFO_HTTP_VERSION) == CURL_HTTP_VERSION_2_0
    }

    /// Goes on after a pause; false if that ended the transfer. The receiver may be called before this returns.
    func resume() -> Bool {
        guard isPaused else { return true }
        isPaused = false
        lastActivity = loop.now
        return curl_easy_pause(handle.easy, CURLPAUSE_CONT) == CURLE_OK
    }

    // MARK: Deadlines

    /// The deadline has come. A redirect goes on without the rest of its body.
    func expire(in phase: TransferError.Phase) {
        if redirection == nil || phase == .total { fail(.timedOut(phase)) }
    }

    /// When this transfer times out, if nothing happens until then.
    var deadline: (time: MonotonicTime, phase: TransferError.Phase) {
        guard !isPaused else { return (totalDeadline, .total) }
        if redirection != nil {
            let end = redirectedAt.adding(nanoseconds: Self.redirectBodyNanoseconds)
            return end < totalDeadline ? (end, .idle) : (totalDeadline, .total)
        }
        let idle = lastReceipt.adding(nanoseconds: idleNanoseconds)
        return idle < totalDeadline ? (idle, .idle) : (totalDeadline, .total)
    }

    /// Connecting has its own timeout, so the idle time begins with the request. Sending a long body is no idle time.
    private var lastReceipt: MonotonicTime {
        if !head.hasBegun {
            let connectedAfter = halcyon_curl_get_offset(handle.easy, CURLINFO_PRETRANSFER_TIME_T)
            guard connectedAfter > 0 else { return max(lastActivity, loop.now) }
            lastActivity = max(lastActivity, startedAt + .microseconds(connectedAfter))
        }
        if transfer.request.body != nil {
            let uploaded = Int64(halcyon_curl_get_offset(handle.easy, CURLINFO_SIZE_UPLOAD_T))
            if uploaded != uploadedBytes {
                uploadedBytes = uploaded
                lastActivity = loop.now
            }
        }
        return lastActivity
    }

    // MARK: What arrives

    static let headerCallback: curl_write_callback = { bytes, size, count, context in
        guard let context else { return 0 }
        let exchange = Unmanaged<CurlExchange>.fromOpaque(context).takeUnretainedValue()
        return exchange.receive(header: UnsafeRawBufferPointer(start: bytes, count: size &* count)) ? size &* count : 0
    }

    /// Before a request is sent.
    static let prerequestCallback: halcyon_curl_prerequest_callback = { context, _, _, _, localPort in
        guard let context else { return 0 }
        let exchange = Unmanaged<CurlExchange>.fromOpaque(context).takeUnretainedValue()
        return exchange.acceptsConnection(localPort: localPort) ? 0 : 1
    }

    static let bodyCallback: curl_write_callback = { bytes, size, count, context in
        guard let context else { return 0 }
        let exchange = Unmanaged<CurlExchange>.fromOpaque(context).takeUnretainedValue()
        guard !exchange.isPaused else { return Int(CURL_WRITEFUNC_PAUSE) }
        switch exchange.receive(body: UnsafeRawBufferPointer(start: bytes, count: size &* count)) {
        case .taken: return size &* count
        // It comes again, as a whole.
        case .held: return Int(CURL_WRITEFUNC_PAUSE)
        case .refused: return 0
        }
    }

    /// What has become of a piece of a body.
    private enum Reception {
        case taken, held, refused
    }

    private func acceptsConnection(localPort: Int32) -> Bool {
        // Once begun, libcurl may ask again by itself, on what is still the same connection.
        guard isPlain, connection == .any, !head.hasBegun, loop.keptSockets.haveSurplus(localPort),
            halcyon_curl_get_long(handle.easy, CURLINFO_NUM_CONNECTS) == 0
        else { return true }
        connection = .newNext
        return false
    }

    private func receive(header line: UnsafeRawBufferPointer) -> Bool {
        lastActivity = loop.now
        guard !transfer.isCancelled else { return stop(.cancelled) }
        if handle.takesTunnelHeader(line) { return true }
        let limit = transfer.request.limits.headerBytes
        let isWithinLimits = line.withMemoryRebound(to: UInt8.self) { line in
            head.append(line, limit: limit)
        }
        guard isWithinLimits else { return stop(.headersTooLarge(maximum: limit)) }
        guard head.isComplete, !isHeadDelivered, redirection == nil else { return true }
        guard head.hasBegun else { return stop(problem(CURLE_OK).malformed("no status line")) }
        if head.isInformational { return true }
        if hasBody, let problem = head.framingProblem { return stop(self.problem(CURLE_OK).malformed(problem)) }
        // Delivered with its body, or at the end, if libcurl has no answer to the challenge.
        if handle.mayAnswer(status: head.status) { return true }
        guard head.mayBeRedirect, transfer.request.followsRedirects else { return deliverHead() }
        return receiveRedirect()
    }

    private func receiveRedirect() -> Bool {
        do throws(TransferError) {
            let response = TransferResponse(
                status: head.status,
                text: head.text,
                url: transfer.request.url,
                expectedBodyBytes: nil
            )
            redirection = try Redirection(response, to: transfer.request, after: transfer.history?.count ?? 0)
        } catch {
            return stop(error)
        }
        guard redirection != nil else { return deliverHead() }
        redirectedAt = loop.now
        loop.responseBegan(self)
        loop.deadlineChanged(of: self)
        return head.expectedBodyBytes ?? 0 <= Self.redirectBodyLimit
    }

    private var hasBody: Bool {
        transfer.request.method != .head && head.status != 204 && head.status != 304
    }

    private func deliverHead() -> Bool {
        isHeadDelivered = true
        guard !head.isInformational else {
            // libcurl lets 101 pass, after which anything may follow.
            return stop(problem(CURLE_OK).malformed("status \(head.status), which nobody asked for"))
        }
        loop.responseBegan(self)
        let expected = hasBody ? head.expectedBodyBytes : 0
        if let expected, expected > transfer.request.limits.bodyBytes {
            return stop(.bodyTooLarge(maximum: transfer.request.limits.bodyBytes))
        }
        let response = TransferResponse(
            status: head.status,
            text: head.text,
            url: transfer.request.url,
            expectedBodyBytes: expected
        )
        do throws(TransferError) {
            try transfer.deliver(response)
        } catch {
            return stop(error)
        }
        return transfer.isCancelled ? stop(.cancelled) : true
    }

    private func receive(body bytes: UnsafeRawBufferPointer) -> Reception {
        lastActivity = loop.now
        guard !transfer.isCancelled else { return refuse(.cancelled) }
        if redirection != nil {
            bodyBytes += bytes.count
            return bodyBytes <= Self.redirectBodyLimit ? .taken : .refused
        }
        guard isHeadDelivered || deliverHead() else { return .refused }
        guard head.contentCodings.isEmpty else { return receive(coded: bytes) }
        return deliver(bytes) ? .taken : .refused
    }

    private func receive(coded bytes: UnsafeRawBufferPointer) -> Reception {
        if let problem = head.contentCodings.problem { return refuse(self.problem(CURLE_OK).malformed(problem)) }
        let limit = transfer.request.limits.bodyBytes
        let decoder = decoder ?? ContentDecoder(head.contentCodings.list, contentLimit: limit)
        self.decoder = decoder
        var isRefused = false
        do throws(ContentDecodingError) {
            let isAll = try decoder.decode(bytes) { piece in
                isRefused = !deliver(piece)
                return !isRefused && !isPaused
            }
            return isRefused ? .refused : isAll ? .taken : .held
        } catch {
            switch error {
            case .malformed(let reason): return refuse(problem(CURLE_OK).malformed(reason))
            case .tooLarge: return refuse(.bodyTooLarge(maximum: limit))
            case .outOfMemory: return refuse(.other("out of memory for a content coding"))
            }
        }
    }

    private func refuse(_ error: TransferError) -> Reception {
        fail(error)
        return .refused
    }

    private func deliver(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count <= transfer.request.limits.bodyBytes - bodyBytes else {
            return stop(.bodyTooLarge(maximum: transfer.request.limits.bodyBytes))
        }
        bodyBytes += bytes.count
        do throws(TransferError) {
            isPaused = try transfer.deliver(bytes) == .pause
        } catch {
            return stop(error)
        }
        return transfer.isCancelled ? stop(.cancelled) : true
    }

    private func stop(_ error: TransferError) -> Bool {
        fail(error)
        return false
    }

    // MARK: The end

    /// What comes next when libcurl ends with `code`. The handle must still hold this transfer.
    func outcome(_ code: CURLcode) -> Outcome {
        // Whatever became of a redirect's body: its head says all.
        if let redirection, failure == nil, !transfer.isCancelled {
            return .redirected(redirection, history)
        }
        return .completed(result(code))
    }

    private func result(_ code: CURLcode) -> Result<TransferMetrics, TransferError> {
        if transfer.isCancelled { return .failure(.cancelled) }
        if let failure { return .failure(failure) }
        guard code == CURLE_OK else { return .failure(problem(code).error) }
        guard head.isComplete else { return .failure(problem(code).endedInsideHead) }
        if !isHeadDelivered, !deliverHead() { return .failure(failure ?? .cancelled) }
        if let decoder, !decoder.isAtEnd {
            let isCutOff = !head.isDelimited && !isMultiplexed
            return .failure(isCutOff ? problem(code).endedInsideCodedBody : problem(code).codedBodyTooShort)
        }
        return .success(metrics)
    }

    private var metrics: TransferMetrics {
        let start = startedAt - transfer.submittedAt
        var metrics = handle.metrics(from: start)
        metrics.queued = start
        if let history = transfer.history {
            metrics.queued = history.queued + (startedAt - history.queuedAt)
            metrics.redirected = history.queuedAt - transfer.submittedAt
            metrics.bytesReceived += history.receivedBytes
            metrics.bytesSent += history.sentBytes
            metrics.redirectCount = history.count
        }
        return metrics
    }

    /// What the transfer has taken by the end of this exchange.
    private var history: RedirectHistory {
        let earlier = transfer.history
        return RedirectHistory(
            count: (earlier?.count ?? 0) + 1,
            queuedAt: .now,
            queued: (earlier?.queued ?? .zero) + (startedAt - (earlier?.queuedAt ?? transfer.submittedAt)),
            totalDeadline: totalDeadline,
            headerBytes: head.byteCount,
            sentBytes: (earlier?.sentBytes ?? 0) + handle.sentBytes,
            receivedBytes: (earlier?.receivedBytes ?? 0) + handle.receivedBytes
        )
    }

    private func problem(_ code: CURLcode) -> CurlProblem {
        CurlProblem(
            code: code,
            handle: handle,
            request: transfer.request,
            isRedirected: transfer.history != nil,
            head: head
        )
    }
}
