internal import CCurl
internal import CCurlShim
internal import HalcyonSystem

/// The thread that drives libcurl, and everything that belongs to it.
///
/// Other threads only put commands into a mailbox; libcurl, the scheduler and the receivers are touched by the loop's
/// thread alone, so there is nothing to lock and no callback to re-enter. A command that a receiver posts is taken up
/// after libcurl has returned.
///
/// Unchecked: the mailbox and the thread are protected by locks; the rest belongs to the loop's thread.
final class CurlEventLoop: @unchecked Sendable {
    let mailbox: CurlMailbox
    private let thread = Lock<SystemThread?>(nil)
    let configuration: CurlTransport.Configuration
    let multi: UnsafeMutableRawPointer
    // Exclusivity is not checked where only this thread comes and no call made meanwhile leads back: see CurlExchange.
    @exclusivity(unchecked)
    var handles: CurlHandlePool
    @exclusivity(unchecked)
    var scheduler: TransferScheduler<CurlTransfer>
    @exclusivity(unchecked)
    var running: [CurlExchange] = []
    /// The transfers between two requests, which wait for their turn while their time runs.
    @exclusivity(unchecked)
    var betweenRequests: [ObjectIdentifier: CurlTransfer] = [:]
    let rules: SecurityRules
    let sockets: OpenSockets
    let watch: EventLoopWatch
    /// The time at which the bytes on the wire are next compared with the bytes received.
    var nextInspection = MonotonicTime.now
    @exclusivity(unchecked)
    var timeouts = ClockedTimeouts(.standard)
    /// The time before which no deadline of a running transfer comes.
    @exclusivity(unchecked)
    var nextDeadline = MonotonicTime.distantFuture
    /// The number of exchanges that have begun.
    @exclusivity(unchecked)
    var exchangeCount = 0
    /// The time at which those that libcurl holds back are next given to it anew.
    @exclusivity(unchecked)
    var nextRenewal = MonotonicTime.distantFuture
    /// A Boolean value that indicates whether a transfer ended, or a host began to take more, since the waiting
    /// transfers were last looked at.
    @exclusivity(unchecked)
    var mayStartMore = false
    /// The time at which libcurl was last asked to work.
    @exclusivity(unchecked)
    var now = MonotonicTime.now

    init(configuration: CurlTransport.Configuration) {
        CurlLibrary.initialize()
        guard let multi = curl_multi_init() else {
            fatalError("libcurl cannot allocate a multi handle: out of memory or descriptors")
        }
        self.configuration = configuration
        self.multi = multi
        mailbox = CurlMailbox(waking: multi)
        rules = SecurityRules(configuration)
        sockets = OpenSockets()
        watch = EventLoopWatch(sockets)
        handles = CurlHandlePool(configuration: configuration, rules: rules, sockets: sockets)
        scheduler = TransferScheduler(
            maximumTransfers: configuration.maximumConcurrentTransfers,
            maximumTransfersPerHost: configuration.maximumTransfersPerHost,
            order: configuration.order,
            startRate: configuration.startRate
        )
        halcyon_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, max(1, configuration.maximumIdleConnections))
    }

    /// Starts the thread, which keeps the loop alive until it ends.
    func launch() {
        let isRunning = thread.withLock { thread in
            thread = SystemThread { self.run() }
            return thread != nil
        }
        if !isRunning {
            // The system is out of threads: every transfer will complete with an error.
            _ = mailbox.closeIfEmpty()
            curl_multi_cleanup(multi)
        }
    }

    func start(_ transfer: CurlTransfer) {
        if !post(.start(transfer)) {
            transfer.complete(.failure(.cancelled))
        }
    }

    /// Hands a command over; returns false if the loop has ended.
    @discardableResult
    func post(_ command: CurlMailbox.Command) -> Bool { mailbox.post(command) }

    func stop(_ stop: CurlMailbox.Stop) { mailbox.stop(stop) }

    /// Waits for the end of the thread, unless this is the thread or someone else waits already.
    func join() {
        let other = thread.withLock { thread in thread?.isCurrent == false ? thread.take() : nil }
        other?.join()
    }

    deinit {
        // The thread keeps the loop, so it has ended, or is here, letting go of it.
        thread.withLock { $0 }?.detach()
    }
}
