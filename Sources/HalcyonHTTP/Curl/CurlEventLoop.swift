internal import CCurl
internal import CCurlShim
internal import Glibc
internal import HalcyonConcurrency

/// The thread that drives libcurl, and everything that belongs to it.
///
/// Other threads only put commands into a mailbox; libcurl, the scheduler and the receivers are touched by the loop's
/// thread alone, so there is nothing to lock and no callback to re-enter. A command that a receiver posts is taken up
/// after libcurl has returned.
///
/// Unchecked: the mailbox and the thread's number are behind locks; the rest belongs to the loop's thread.
final class CurlEventLoop: @unchecked Sendable {
    enum Command {
        case start(CurlTransfer)
        case cancel(CurlTransfer)
        case setPriority(CurlTransfer, LoadPriority)
        case resume(CurlTransfer)
        case removeCookies
    }

    /// When the thread is to end.
    enum Stop: Int {
        case never
        case whenIdle
        case now
    }

    private struct Mailbox {
        var commands: [Command] = []
        /// The loop waits in poll, and nobody has woken it yet.
        var isAsleep = false
        var stop = Stop.never
        /// The thread has ended, or never began; no command is taken any more.
        var isClosed = false
    }

    private let mailbox = Lock(Mailbox())
    private let thread = Lock<pthread_t?>(nil)
    let configuration: CurlTransport.Configuration
    private let multi: UnsafeMutableRawPointer
    // Exclusivity is not checked where only this thread comes and no call made meanwhile leads back: see CurlExchange.
    @exclusivity(unchecked)
    private var handles: CurlHandlePool
    @exclusivity(unchecked)
    private var scheduler: TransferScheduler<CurlTransfer>
    @exclusivity(unchecked)
    private var running: [CurlExchange] = []
    /// Transfers between two hops, who wait for their turn while their time runs.
    @exclusivity(unchecked)
    private var redirected: [ObjectIdentifier: CurlTransfer] = [:]
    let rules: SecurityRules
    @exclusivity(unchecked)
    private(set) var keptSockets = KeptSockets()
    private var timeouts = ClockedTimeouts(.standard)
    /// No deadline of a running transfer comes before this.
    @exclusivity(unchecked)
    private var nextDeadline = MonotonicTime.distantFuture
    /// Whether a transfer ended, or a host began to take more, since those who wait were last looked at.
    @exclusivity(unchecked)
    private var mayStartMore = false
    /// The time at which libcurl was last asked to work.
    @exclusivity(unchecked)
    private(set) var now = MonotonicTime.now

    init(configuration: CurlTransport.Configuration) {
        CurlLibrary.initialize()
        guard let multi = curl_multi_init() else {
            fatalError("libcurl cannot allocate a multi handle: out of memory or descriptors")
        }
        self.configuration = configuration
        self.multi = multi
        rules = SecurityRules(configuration)
        handles = CurlHandlePool(configuration: configuration, rules: rules)
        scheduler = TransferScheduler(
            maximumTransfers: configuration.maximumConcurrentTransfers,
            maximumTransfersPerHost: configuration.maximumTransfersPerHost,
            order: configuration.order,
            startRate: configuration.startRate
        )
        halcyon_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, max(1, configuration.maximumIdleConnections))
    }

    // MARK: Any thread

    /// Starts the thread, which keeps the loop alive until it ends.
    func launch() {
        let retained = Unmanaged.passRetained(self)
        let isRunning = thread.withLock { thread in
            var id = pthread_t()
            let code = pthread_create(
                &id,
                nil,
                { context in
                    guard let context else { return nil }
                    Unmanaged<CurlEventLoop>.fromOpaque(context).takeRetainedValue().run()
                    return nil
                },
                retained.toOpaque()
            )
            guard code == 0 else { return false }
            thread = id
            return true
        }
        if !isRunning {
            // The system is out of threads: every transfer will complete with an error.
            retained.release()
            mailbox.withLock { $0.isClosed = true }
            curl_multi_cleanup(multi)
        }
    }

    func start(_ transfer: CurlTransfer) {
        if !post(.start(transfer)) {
            transfer.complete(.failure(.cancelled))
        }
    }

    /// Hands a command over; false if the loop has ended. Wakes the thread only if it sleeps and nobody else has.
    @discardableResult
    func post(_ command: Command) -> Bool {
        mailbox.withLock { mailbox in
            guard !mailbox.isClosed else { return false }
            mailbox.commands.append(command)
            wake(&mailbox)
            return true
        }
    }

    func stop(_ stop: Stop) {
        mailbox.withLock { mailbox in
            guard !mailbox.isClosed, stop.rawValue > mailbox.stop.rawValue else { return }
            mailbox.stop = stop
            wake(&mailbox)
        }
    }

    /// Waits for the end of the thread, unless this is the thread or someone else waits already.
    func join() {
        let id = thread.withLock { thread -> pthread_t? in
            guard let id = thread, pthread_equal(id, pthread_self()) == 0 else { return nil }
            thread = nil
            return id
        }
        if let id { pthread_join(id, nil) }
    }

    deinit {
        // The thread keeps the loop, so it has ended, or is here, letting go of it.
        if let id = thread.withLock({ $0 }) { pthread_detach(id) }
    }

    /// Inside the lock, because the multi handle may be gone once the mailbox is closed.
    private func wake(_ mailbox: inout Mailbox) {
        guard mailbox.isAsleep else { return }
        mailbox.isAsleep = false
        curl_multi_wakeup(multi)
    }

    // MARK: The loop's thread

    private func run() {
        CurlLibrary.prepareThread()
        var commands: [Command] = []
        while true {
            let stop = takeCommands(into: &commands)
            now = .now
            for command in commands { perform(command) }
            if stop == .now { cancelEverything() }
            mayStartMore = false
            startWaiting()
            var count: Int32 = 0
            curl_multi_perform(multi, &count)
            collectFinished()
            enforceDeadlines()
            if stop != .never, scheduler.isIdle, close() { break }
            // Who comes next is decided only after the commands that came meanwhile: they may hold a more urgent one.
            if mayStartMore, scheduler.waitingCount > 0 { continue }
            sleep(unlessStoppedSince: stop)
        }
        handles.removeAll()
        curl_multi_cleanup(multi)
    }

    private func takeCommands(into commands: inout [Command]) -> Stop {
        // A burst of ten thousand should not hold its memory for ever.
        commands.removeAll(keepingCapacity: commands.capacity <= 1024)
        return mailbox.withLock { mailbox in
            mailbox.isAsleep = false
            swap(&mailbox.commands, &commands)
            return mailbox.stop
        }
    }

    private func close() -> Bool {
        mailbox.withLock { mailbox in
            guard mailbox.commands.isEmpty else { return false }
            mailbox.isClosed = true
            return true
        }
    }

    /// Waits for the network, the next deadline or a message, unless one has come since the mailbox was emptied.
    private func sleep(unlessStoppedSince stop: Stop) {
        let mustSleep = mailbox.withLock { mailbox in
            mailbox.isAsleep = mailbox.commands.isEmpty && mailbox.stop == stop
            return mailbox.isAsleep
        }
        guard mustSleep else { return }
        let timeout = min(nextDeadline, scheduler.nextStart).pollTimeout(from: now)
        if curl_multi_poll(multi, nil, 0, timeout, nil) != CURLM_OK {
            // Out of memory, say: try again, but not as fast as the processor can.
            usleep(10_000)
        }
    }

    private func perform(_ command: Command) {
        switch command {
        case .start(let transfer): enqueue(transfer)
        case .cancel(let transfer): cancel(transfer)
        case .setPriority(let transfer, let priority): setPriority(priority, of: transfer)
        case .resume(let transfer):
            guard case .running(let exchange) = transfer.stage else { return }
            guard exchange.resume() else { return finish(exchange, code: CURLE_WRITE_ERROR) }
            nextDeadline = min(nextDeadline, exchange.deadline.time)
        case .removeCookies:
            handles.removeAllCookies()
        }
    }

    private func enqueue(_ transfer: CurlTransfer) {
        guard !transfer.isCancelled else { return transfer.complete(.failure(.cancelled)) }
        guard let origin = transfer.origin else {
            return transfer.complete(.failure(.invalidURL(transfer.url)))
        }
        let entry = scheduler.append(
            transfer,
            origin: origin,
            priority: transfer.priority,
            isUnderWay: transfer.history != nil
        )
        transfer.stage = .waiting(entry)
    }

    private func cancel(_ transfer: CurlTransfer) {
        switch transfer.stage {
        case .submitted, .finished:
            break
        case .waiting(let entry):
            abandon(entry, .cancelled)
        case .running(let exchange):
            finish(exchange, code: CURLE_ABORTED_BY_CALLBACK)
        }
    }

    private func setPriority(_ priority: LoadPriority, of transfer: CurlTransfer) {
        transfer.priority = priority
        switch transfer.stage {
        case .submitted, .finished: break
        case .waiting(let entry): scheduler.setPriority(priority, of: entry)
        case .running(let exchange): exchange.setPriority(priority)
        }
    }

    private func startWaiting() {
        while let entry = scheduler.next(at: now) {
            let transfer = entry.element
            if transfer.history != nil { redirected[ObjectIdentifier(transfer)] = nil }
            let exchange = CurlExchange(entry, handle: handles.take(), loop: self)
            exchange.index = running.count
            running.append(exchange)
            transfer.stage = .running(exchange)
            guard exchange.configure(), curl_multi_add_handle(multi, exchange.handle.easy) == CURLM_OK
            else {
                finish(exchange, code: CURLE_FAILED_INIT)
                continue
            }
            nextDeadline = min(nextDeadline, exchange.deadline.time)
        }
    }

    private func collectFinished() {
        var remaining: Int32 = 0
        while let message = curl_multi_info_read(multi, &remaining) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle,
                let context = halcyon_curl_get_pointer(easy, CURLINFO_PRIVATE)
            else { continue }
            // `running` holds the exchange until `finish` takes it out.
            let exchange = Unmanaged<CurlExchange>.fromOpaque(context).takeUnretainedValue()
            let code = message.pointee.data.result
            if code == CURLE_ABORTED_BY_CALLBACK, exchange.takesNewConnection() {
                curl_multi_remove_handle(multi, easy)
                if curl_multi_add_handle(multi, easy) == CURLM_OK { continue }
            }
            finish(exchange, code: code)
        }
    }

    /// Ends a running transfer, whatever the reason, and gives back what it used.
    private func finish(_ exchange: CurlExchange, code: CURLcode) {
        let transfer = exchange.transfer
        let outcome = exchange.outcome(code)
        if code == CURLE_OK, exchange.isPlain { keptSockets.note(exchange.handle) }
        curl_multi_remove_handle(multi, exchange.handle.easy)
        exchange.release()
        handles.give(exchange.handle, isUntroubled: code == CURLE_OK && exchange.isStraight)
        running.swapAt(exchange.index, running.count - 1)
        running[exchange.index].index = exchange.index
        running.removeLast()
        scheduler.ended(exchange.entry)
        mayStartMore = true
        switch outcome {
        case .completed(let result): transfer.complete(result)
        case .redirected(let redirection, let history): follow(redirection, transfer, history)
        }
    }

    private func follow(_ redirection: Redirection, _ transfer: CurlTransfer, _ history: RedirectHistory) {
        transfer.follow(redirection, history: history)
        enqueue(transfer)
        // Unless it was cancelled.
        guard case .waiting = transfer.stage else { return }
        redirected[ObjectIdentifier(transfer)] = transfer
        nextDeadline = min(nextDeadline, history.totalDeadline)
    }

    /// Ends a transfer that waits.
    private func abandon(_ entry: TransferScheduler<CurlTransfer>.Entry, _ error: TransferError) {
        let transfer = entry.element
        scheduler.remove(entry)
        if transfer.history != nil { redirected[ObjectIdentifier(transfer)] = nil }
        transfer.complete(.failure(error))
    }

    /// Looks at every running transfer, but only once the earliest deadline has come: at most as often as there are
    /// transfers in one idle timeout.
    private func enforceDeadlines() {
        guard nextDeadline <= now else { return }
        now = .now
        nextDeadline = .distantFuture
        for exchange in running {
            let deadline = exchange.deadline
            if deadline.time <= now {
                exchange.expire(in: deadline.phase)
                finish(exchange, code: CURLE_OPERATION_TIMEDOUT)
            } else {
                nextDeadline = min(nextDeadline, deadline.time)
            }
        }
        for transfer in redirected.values {
            guard let history = transfer.history, case .waiting(let entry) = transfer.stage else { continue }
            if history.totalDeadline <= now {
                abandon(entry, .timedOut(.total))
            } else {
                nextDeadline = min(nextDeadline, history.totalDeadline)
            }
        }
    }

    private func cancelEverything() {
        while let exchange = running.last {
            exchange.fail(.cancelled)
            finish(exchange, code: CURLE_ABORTED_BY_CALLBACK)
        }
        redirected = [:]
        for entry in scheduler.removeAll() { entry.element.complete(.failure(.cancelled)) }
    }

    /// The deadline of `exchange` may come earlier than it did.
    func deadlineChanged(of exchange: CurlExchange) {
        nextDeadline = min(nextDeadline, exchange.deadline.time)
    }

    /// Converts timeouts, once as long as they stay the same.
    func clocked(_ timeouts: TransferTimeouts) -> ClockedTimeouts {
        if self.timeouts.timeouts != timeouts { self.timeouts = ClockedTimeouts(timeouts) }
        return self.timeouts
    }

    /// The response of `exchange` has begun: if it shares its connection, those who wait for the host may start.
    func responseBegan(_ exchange: CurlExchange) {
        guard exchange.isMultiplexed else { return }
        scheduler.markMultiplexing(exchange.entry)
        mayStartMore = true
    }
}
