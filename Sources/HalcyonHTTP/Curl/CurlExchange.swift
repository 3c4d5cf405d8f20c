internal import CCurlShim
internal import FoundationEssentials
internal import HalcyonSystem

/// A transfer while libcurl works on it: one easy handle, the response as it comes in, and the bounds it must keep to.
///
/// Belongs to the event loop's thread. libcurl holds an unretained pointer to it, from `configure` until the handle is
/// taken out of the multi handle; the loop's list of running transfers keeps it alive for that time.
final class CurlExchange {
    /// The outcome of an exchange.
    enum Outcome {
        case completed(Result<TransferMetrics, TransferError>)
        /// The transfer goes on with another request.
        case redirected(Redirection, RequestHistory)
        /// The connection ended before the answer; the transfer sends the same request again.
        case connectionLost(RequestHistory)
    }

    /// The connection that the exchange takes.
    enum Connection {
        case any
        /// A new one, once it has let go of the one it has, where bytes wait that were not requested.
        case newNext
        case new
    }

    /// A redirect's body is read so that its connection can be used again, as long as that is quicker than to open
    /// one: this many bytes, and not longer than this.
    static let redirectBodyLimit = 64 << 10
    static let redirectBodyNanoseconds: Int64 = 200_000_000

    let entry: TransferScheduler<CurlTransfer>.Entry
    let transfer: CurlTransfer
    let handle: CurlHandle
    /// The position of the exchange in the loop's list.
    var index = 0
    /// The number of the exchange among all of the loop, from 1.
    let number: Int

    /// The number of connections to the host that were renewed before the exchange began.
    let renewalCount: Int
    let startedAt: MonotonicTime
    let totalDeadline: MonotonicTime
    /// The deadline of the connection. libcurl has a limit for that, but not while it holds a transfer back, to see
    /// whether it can share the connection that another one is opening.
    let connectDeadline: MonotonicTime
    let idleNanoseconds: Int64
    /// Unsafe, which spares a count up and down with each header line: the loop outlives its transfers.
    unowned(unsafe) let loop: CurlEventLoop
    /// Unchecked exclusivity, here and below: only the loop's thread comes here, nothing that is called while one of
    /// these is being changed leads back, and the dynamic check costs more than the access it guards.
    @exclusivity(unchecked)
    var head: ResponseHead
    private var headerList: UnsafeMutablePointer<curl_slist>?
    @exclusivity(unchecked)
    var lastActivity: MonotonicTime
    var uploadedBytes: Int64 = 0
    @exclusivity(unchecked)
    var bodyBytes = 0
    /// The body as it comes, before its content coding is undone.
    @exclusivity(unchecked)
    var wireBodyBytes = 0
    var wireMark: WireMark?
    /// The local port of the connection, once the request goes out. libcurl does not tell the socket before the end.
    var localPort: Int32 = 0
    /// The decoder of the body's content coding, once some of a coded one has come.
    @exclusivity(unchecked)
    var decoder: ContentDecoder?
    /// The redirect to follow, once the head of its response has come.
    var redirection: Redirection?
    /// A Boolean value that indicates whether there is a ``redirection``: asked with each line and piece, where looking
    /// at that takes 200 instructions.
    var isRedirected = false
    var redirectedAt = MonotonicTime.distantFuture
    @exclusivity(unchecked)
    var isHeadDelivered = false
    @exclusivity(unchecked)
    var isPaused = false
    var connection = Connection.any
    /// The number of connections that libcurl had opened for the exchange when it last sent the request: it repeats some by
    /// itself.
    private var connectionCount = 0
    /// A Boolean value that indicates whether it last sent the request on a connection that another exchange had opened.
    private(set) var isOnSharedConnection = false
    /// A Boolean value that indicates whether libcurl has begun to look the host's name up, or the proxy's.
    var lookupBegan = false
    /// The time until which libcurl may wait for the name, once the transfer itself is over.
    var lookupDeadline: MonotonicTime?
    /// A Boolean value that indicates whether it counts among the transfers that run.
    var hasPlace = true
    /// The error with which this side ends the transfer; libcurl's own code then says nothing.
    private(set) var failure: TransferError?

    init(_ entry: TransferScheduler<CurlTransfer>.Entry, handle: CurlHandle, loop: CurlEventLoop) {
        self.entry = entry
        transfer = entry.element
        self.handle = handle
        self.loop = loop
        loop.exchangeCount += 1
        number = loop.exchangeCount
        renewalCount = entry.renewalCount
        startedAt = loop.now
        lastActivity = loop.now
        let timeouts = loop.clocked(transfer.request.timeouts)
        totalDeadline =
            transfer.history?.totalDeadline ?? loop.now.adding(nanoseconds: timeouts.totalNanoseconds)
        connectDeadline = loop.now.adding(nanoseconds: timeouts.connectNanoseconds)
        head = ResponseHead(byteCount: transfer.history?.headerBytes ?? 0)
        idleNanoseconds = timeouts.idleNanoseconds
    }

    var isCleartextHTTP2: Bool { loop.configuration.cleartextHTTP2 && !entry.origin.isSecure }

    /// A Boolean value that indicates whether the transfer takes a connection that is there, and leaves it to others.
    var sharesConnection: Bool {
        !handle.security.hasOwnTunnel && (!isCleartextHTTP2 || CurlLibrary.sharesCleartextHTTP2)
    }

    /// Sets the options that are particular to this transfer; returns false if libcurl does not take them.
    func configure() -> Bool {
        let context = Unmanaged.passUnretained(self).toOpaque()
        let easy = handle.easy
        halcyon_curl_set_pointer(easy, CURLOPT_PRIVATE, context)
        halcyon_curl_set_pointer(easy, CURLOPT_HEADERDATA, context)
        halcyon_curl_set_pointer(easy, CURLOPT_WRITEDATA, context)
        halcyon_curl_set_prerequest_context(easy, context)
        halcyon_curl_set_pointer(easy, CURLOPT_OPENSOCKETDATA, context)
        halcyon_curl_set_pointer(easy, CURLOPT_RESOLVER_START_DATA, context)
        handle.keepsConnection = sharesConnection
        handle.bounds = CurlHandle.Bounds(
            // Later than `connectDeadline`, which decides; libcurl abandons a name look-up when time runs out.
            connectMilliseconds: loop.clocked(transfer.request.timeouts).connectMilliseconds + 1_000,
            waitsForMultiplexing: entry.origin.isSecure,
            sharesConnection: sharesConnection && isRepeatable && !opensConnection()
        )
        setPriority(transfer.priority)
        let request = transfer.request
        prepareCookies(for: request)
        if !loop.rules.isUniform || transfer.mayHoldCredentials {
            do throws(TransferError) {
                try handle.secure(entry.origin, for: request, rules: loop.rules)
            } catch {
                fail(error)
                return false
            }
        }
        headerList = handle.apply(request)
        return halcyon_curl_set_string(easy, CURLOPT_URL, transfer.url) == CURLE_OK
    }

    /// Lets libcurl send the cookies that the earlier requests of the chain were set, unless the request has its own, or
    /// the transport has a jar.
    private func prepareCookies(for request: TransferRequest) {
        if !request.headers.isEmpty, request.headers[.cookie] != nil {
            // libcurl would send both.
            handle.leaveCookies()
        } else if loop.handles.cookies == nil, let trail = request.trail {
            for line in trail.cookies { handle.jar.add(line, through: handle.easy) }
        }
    }

    /// The cookies that the next request of the chain takes along.
    var chainCookies: [[CChar]] {
        guard handle.takesCookies, loop.handles.cookies == nil,
            handle.jar.newCount > 0 || transfer.request.trail.map({ !$0.cookies.isEmpty }) == true
        else { return [] }
        return handle.jar.lines(through: handle.easy)
    }

    /// Sets the weight of the stream; HTTP/2 weighs streams from 1 to 256 (RFC 7540, section 5.3.2).
    func setPriority(_ priority: LoadPriority) {
        handle.streamWeight = 16 << priority.rawValue
    }

    /// Frees the list of headers, after libcurl has let go of the handle.
    func release() {
        guard let list = headerList else { return }
        halcyon_curl_set_list(handle.easy, CURLOPT_HTTPHEADER, nil)
        libcurl.curl_slist_free_all(list)
        headerList = nil
    }

    /// Notes why this side ends the transfer. The first reason counts.
    func fail(_ error: TransferError) {
        guard failure == nil else { return }
        failure = error
        if error.discreditsConnection { handle.keepsConnection = false }
    }

    /// Notes that libcurl is about to send the request.
    func willSend() {
        let count = halcyon_curl_get_long(handle.easy, CURLINFO_NUM_CONNECTS)
        isOnSharedConnection = count == connectionCount
        connectionCount = count
        // Over TLS, libcurl knows by now that others can share it; without, only once a response has come.
        if entry.origin.isSecure { loop.connectionIsRenewed(by: self) }
    }

    /// A Boolean value that indicates whether the connection carries several transfers at a time.
    var isMultiplexed: Bool {
        head.isComplete && halcyon_curl_get_long(handle.easy, CURLINFO_HTTP_VERSION) == CURL_HTTP_VERSION_2_0
    }

    /// Goes on after a pause; returns false if that ended the transfer. The receiver may be called before this returns.
    func resume() -> Bool {
        guard isPaused else { return true }
        isPaused = false
        lastActivity = loop.now
        return libcurl.curl_easy_pause(handle.easy, CURLPAUSE_CONT) == CURLE_OK
    }

    func stop(_ error: TransferError) -> Bool {
        fail(error)
        return false
    }

    func problem(_ code: CURLcode) -> CurlFailure {
        CurlFailure(
            code: code,
            handle: handle,
            request: transfer.request,
            isRedirected: transfer.history?.redirectCount ?? 0 > 0,
            head: head
        )
    }
}
