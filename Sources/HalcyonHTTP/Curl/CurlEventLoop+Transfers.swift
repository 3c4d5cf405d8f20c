internal import CCurlShim
internal import HalcyonSystem

/// The life of transfers: they are queued, run, are redirected or sent again, and end.
extension CurlEventLoop {
    func perform(_ command: CurlMailbox.Command) {
        switch command {
        case .start(let transfer): enqueue(transfer)
        case .cancel(let transfer): cancel(transfer)
        case .setPriority(let transfer, let priority): setPriority(priority, of: transfer)
        case .resume(let transfer):
            guard case .running(let exchange) = transfer.state else { return }
            guard exchange.resume() else { return finish(exchange, code: CURLE_WRITE_ERROR) }
            nextDeadline = min(nextDeadline, exchange.deadline.time)
        case .removeCookies:
            handles.cookies?.removeAll()
        }
    }

    func enqueue(_ transfer: CurlTransfer) {
        guard !transfer.isCancelled else { return transfer.complete(.failure(.cancelled)) }
        guard let origin = transfer.origin else {
            return transfer.complete(.failure(.invalidURL(transfer.url)))
        }
        let entry = scheduler.append(
            transfer,
            origin: origin,
            priority: transfer.priority,
            place: transfer.request.place,
            isUnderWay: transfer.history != nil
        )
        transfer.state = .waiting(entry)
    }

    func cancel(_ transfer: CurlTransfer) {
        switch transfer.state {
        case .submitted, .finished:
            break
        case .waiting(let entry):
            abandon(entry, .cancelled)
        case .running(let exchange):
            abandon(exchange, code: CURLE_ABORTED_BY_CALLBACK)
        }
    }

    func setPriority(_ priority: LoadPriority, of transfer: CurlTransfer) {
        transfer.priority = priority
        switch transfer.state {
        case .submitted, .finished: break
        case .waiting(let entry): scheduler.setPriority(priority, of: entry)
        case .running(let exchange): exchange.setPriority(priority)
        }
    }

    func startWaiting() {
        while let entry = scheduler.next(at: now) {
            let transfer = entry.element
            if transfer.history == nil {
                transfer.willSend()
            } else {
                betweenRequests[ObjectIdentifier(transfer)] = nil
            }
            let exchange = CurlExchange(entry, handle: handles.take(), loop: self)
            exchange.index = running.count
            running.append(exchange)
            watch.start()
            transfer.state = .running(exchange)
            guard exchange.configure(), libcurl.curl_multi_add_handle(multi, exchange.handle.easy) == CURLM_OK
            else {
                finish(exchange, code: CURLE_FAILED_INIT)
                continue
            }
            nextDeadline = min(nextDeadline, exchange.firstDeadline)
            if exchange.entry.origin.isSecure {
                nextRenewal = min(nextRenewal, now.adding(nanoseconds: Self.heldBackNanoseconds))
            }
        }
    }

    /// The time for which libcurl may hold a transfer back.
    static let heldBackNanoseconds: Int64 = 100_000_000

    /// Gives libcurl the transfers anew that it has held back for a tenth of a second.
    ///
    /// Where connections end while others wait to share them, libcurl 8.14 forgets some of those that wait: nothing wakes
    /// them any more. To one that is held back with a reason, this does nothing that could be seen from outside.
    func retryHeldTransfers() {
        guard nextRenewal <= now else { return }
        nextRenewal = .distantFuture
        for exchange in running where exchange.entry.origin.isSecure {
            nextRenewal = now.adding(nanoseconds: Self.heldBackNanoseconds)
            guard exchange.isHeldBack else { continue }
            exchange.lookupBegan = false
            _ = libcurl.curl_multi_remove_handle(multi, exchange.handle.easy)
            guard libcurl.curl_multi_add_handle(multi, exchange.handle.easy) == CURLM_OK else {
                // The next look sees to the rest.
                return finish(exchange, code: CURLE_FAILED_INIT)
            }
        }
    }

    func collectFinished() {
        var remaining: Int32 = 0
        while let message = libcurl.curl_multi_info_read(multi, &remaining) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle,
                let context = halcyon_curl_get_pointer(easy, CURLINFO_PRIVATE)
            else { continue }
            // `running` holds the exchange until `finish` removes it.
            let exchange = Unmanaged<CurlExchange>.fromOpaque(context).takeUnretainedValue()
            let code = message.pointee.data.result
            if code == CURLE_ABORTED_BY_CALLBACK, exchange.takesNewConnection() {
                _ = libcurl.curl_multi_remove_handle(multi, easy)
                if libcurl.curl_multi_add_handle(multi, easy) == CURLM_OK { continue }
            }
            finish(exchange, code: code)
        }
    }

    /// Ends a running transfer from this side. Its name look-up, if there is one, goes on, and leaves its place among the
    /// transfers to another.
    func abandon(_ exchange: CurlExchange, code: CURLcode) {
        guard exchange.isLookingUp, !exchange.isAbandoned, case .completed(let result) = exchange.outcome(code) else {
            return finish(exchange, code: code)
        }
        exchange.abandon()
        // No other waits for a look-up that is of no more use.
        connectionIsRenewed(by: exchange)
        deadlineChanged(of: exchange)
        freePlaces()
        exchange.transfer.complete(result)
    }

    /// Frees the places of transfers of which only a look-up is left, as long as there are no more such look-ups without a
    /// place than transfers that may run: each is a thread.
    private func freePlaces() {
        for exchange in running where exchange.isAbandoned && exchange.hasPlace {
            guard leftLookupCount < max(1, configuration.maximumConcurrentTransfers) else { return }
            leftLookupCount += 1
            exchange.hasPlace = false
            scheduler.ended(exchange.entry)
            mayStartMore = true
        }
    }

    /// Ends the transfers of which only a look-up is left, because the thread is to end.
    func finishAbandoned() {
        for index in running.indices.reversed() where running[index].isAbandoned {
            finish(running[index], code: CURLE_ABORTED_BY_CALLBACK)
        }
    }

    /// Ends a running transfer, whatever the reason, and releases what it used.
    func finish(_ exchange: CurlExchange, code: CURLcode) {
        let transfer = exchange.transfer
        let outcome = exchange.outcome(code)
        endConnection(of: exchange, code: code)
        _ = libcurl.curl_multi_remove_handle(multi, exchange.handle.easy)
        exchange.release()
        // libcurl keeps credentials that it met in a URL with the handle.
        handles.give(exchange.handle, isClean: code == CURLE_OK && !transfer.mayHoldUser)
        running.swapAt(exchange.index, running.count - 1)
        running[exchange.index].index = exchange.index
        running.removeLast()
        if exchange.hasPlace {
            scheduler.ended(exchange.entry)
        } else {
            leftLookupCount -= 1
            freePlaces()
        }
        mayStartMore = true
        switch outcome {
        case .completed(let result): transfer.complete(result)
        case .redirected(let redirection, let history):
            transfer.follow(redirection, history: history)
            goOn(transfer)
        case .connectionLost(let history):
            transfer.sendAgain(after: history)
            goOn(transfer)
        }
    }

    /// Ends the connection of a transfer, whatever libcurl does with it next, if the way in which the transfer ended
    /// discredits it.
    ///
    /// Not if other transfers run on it, over HTTP/2: they may be getting on, and if a flood starves them too, they
    /// have time limits of their own, and the last of them that fails ends the connection.
    private func endConnection(of exchange: CurlExchange, code: CURLcode) {
        let port = exchange.localPort
        guard code != CURLE_OK, port != 0, exchange.discreditsConnection(code),
            !running.contains(where: { $0 !== exchange && $0.localPort == port })
        else { return }
        sockets.endConnection(localPort: port)
    }

    /// Queues the next request of a transfer.
    private func goOn(_ transfer: CurlTransfer) {
        enqueue(transfer)
        // Unless it was cancelled.
        guard case .waiting = transfer.state, let history = transfer.history else { return }
        betweenRequests[ObjectIdentifier(transfer)] = transfer
        nextDeadline = min(nextDeadline, history.totalDeadline)
    }

    /// Ends a transfer that waits.
    func abandon(_ entry: TransferScheduler<CurlTransfer>.Entry, _ error: TransferError) {
        let transfer = entry.element
        scheduler.remove(entry)
        if transfer.history != nil { betweenRequests[ObjectIdentifier(transfer)] = nil }
        transfer.complete(.failure(error))
    }

    func cancelEverything() {
        while let exchange = running.last {
            exchange.fail(.cancelled)
            finish(exchange, code: CURLE_ABORTED_BY_CALLBACK)
        }
        betweenRequests = [:]
        for entry in scheduler.removeAll() { entry.element.complete(.failure(.cancelled)) }
    }

    /// Notes that the response of `exchange` has begun: if it shares its connection, transfers that wait for the host
    /// may start; otherwise those that have begun are as many as may be.
    func responseBegan(_ exchange: CurlExchange) {
        connectionIsRenewed(by: exchange)
        let isMultiplexed = exchange.isMultiplexed
        scheduler.markMultiplexing(exchange.entry, isMultiplexed)
        if isMultiplexed { mayStartMore = true }
    }

    /// Notes that the connection of `exchange` can be shared: the transfers that were waiting for that may start.
    func connectionIsRenewed(by exchange: CurlExchange) {
        if scheduler.connectionIsRenewed(by: exchange.entry) { mayStartMore = true }
    }
}
