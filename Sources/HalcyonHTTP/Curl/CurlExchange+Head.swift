internal import CCurlShim
internal import HalcyonSystem

/// The head of the response as it arrives.
extension CurlExchange {
    static let headerCallback: curl_write_callback = { bytes, size, count, context in
        guard let context else { return 0 }
        let exchange = Unmanaged<CurlExchange>.fromOpaque(context).takeUnretainedValue()
        return exchange.receive(header: UnsafeRawBufferPointer(start: bytes, count: size &* count)) ? size &* count : 0
    }

    private func receive(header line: UnsafeRawBufferPointer) -> Bool {
        lastActivity = loop.now
        loop.watch.noteProgress()
        guard !transfer.isCancelled else { return stop(.cancelled) }
        let limit = transfer.limits.headerBytes
        if handle.isMakingTunnel {
            return handle.security.tunnelHead.append(line, limit: limit) || stop(.headersTooLarge(maximum: limit))
        }
        handle.jar.note(line)
        let isWithinLimits = line.withMemoryRebound(to: UInt8.self) { line in
            head.append(line, limit: limit)
        }
        guard isWithinLimits else { return stop(.headersTooLarge(maximum: limit)) }
        guard head.isComplete, !isHeadDelivered, !isRedirected else { return true }
        if !handle.keepsConnection { handle.keepsConnection = sharesConnection }
        guard head.hasBegun, head.speaksHTTP1 || !isPlain else {
            return stop(problem(CURLE_OK).malformed("no status line"))
        }
        if head.isInformational { return true }
        if hasBody, let problem = head.framingProblem { return stop(self.problem(CURLE_OK).malformed(problem)) }
        // Delivered with its body, or at the end, if libcurl has no answer to the challenge.
        if handle.mayAnswer(status: head.status) { return true }
        guard head.mayBeRedirect, transfer.request.followsRedirects else { return deliverHead() }
        return receiveRedirect()
    }

    private func receiveRedirect() -> Bool {
        do throws(TransferError) {
            var response = TransferResponse(
                status: head.status,
                text: head.text,
                url: transfer.request.url,
                expectedBodyBytes: nil
            )
            response.chainCookies = chainCookies
            redirection = try Redirection(response, to: transfer.request, after: transfer.history?.redirectCount ?? 0)
        } catch {
            return stop(error)
        }
        guard redirection != nil else { return deliverHead() }
        isRedirected = true
        redirectedAt = loop.now
        loop.responseBegan(self)
        loop.deadlineChanged(of: self)
        return head.expectedBodyBytes ?? 0 <= Self.redirectBodyLimit
    }

    private var hasBody: Bool {
        transfer.request.method != .head && head.status != 204 && head.status != 304
    }

    func deliverHead() -> Bool {
        isHeadDelivered = true
        guard !head.isInformational else {
            // libcurl lets 101 pass, after which anything may follow.
            return stop(problem(CURLE_OK).malformed("status \(head.status), which nobody asked for"))
        }
        loop.responseBegan(self)
        let expected = hasBody ? head.expectedBodyBytes : 0
        var response = TransferResponse(
            status: head.status,
            text: head.text,
            url: transfer.request.url,
            expectedBodyBytes: expected
        )
        if head.mayBeRedirect { response.chainCookies = chainCookies }
        response.redirects = transfer.request.trail?.rules
        do throws(TransferError) {
            if let expected { try transfer.limits.checkBody(expected) }
            try transfer.deliver(response)
        } catch {
            return stop(error)
        }
        return transfer.isCancelled ? stop(.cancelled) : true
    }
}
