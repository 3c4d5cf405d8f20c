internal import CCurlShim

extension CurlExchange {
    static let bodyCallback: curl_write_callback = { bytes, size, count, context in
        guard let context else { return 0 }
        let exchange = Unmanaged<CurlExchange>.fromOpaque(context).takeUnretainedValue()
        guard !exchange.isPaused else { return Int(CURL_WRITEFUNC_PAUSE) }
        switch exchange.receive(body: UnsafeRawBufferPointer(start: bytes, count: size &* count)) {
        case .taken: return size &* count
        // libcurl delivers it again, as a whole.
        case .held: return Int(CURL_WRITEFUNC_PAUSE)
        case .refused: return 0
        }
    }

    /// The results of receiving a piece of a body.
    private enum Reception {
        case taken, held, refused
    }

    private func receive(body bytes: UnsafeRawBufferPointer) -> Reception {
        lastActivity = loop.now
        loop.watch.noteProgress()
        guard !transfer.isCancelled else { return refuse(.cancelled) }
        if isRedirected {
            bodyBytes += bytes.count
            return bodyBytes <= Self.redirectBodyLimit ? .taken : .refused
        }
        guard isHeadDelivered || deliverHead() else { return .refused }
        let reception: Reception =
            head.contentCodings.isEmpty ? deliver(bytes) ? .taken : .refused : receive(coded: bytes)
        if reception == .taken { wireBodyBytes += bytes.count }
        return reception
    }

    private func receive(coded bytes: UnsafeRawBufferPointer) -> Reception {
        if let problem = head.contentCodings.problem { return refuse(self.problem(CURLE_OK).malformed(problem)) }
        let limit = transfer.limits.bodyBytes
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
        do throws(TransferError) {
            try transfer.limits.checkBody(bytes.count, after: bodyBytes)
            bodyBytes += bytes.count
            isPaused = try transfer.deliver(bytes) == .pause
        } catch {
            return stop(error)
        }
        return transfer.isCancelled ? stop(.cancelled) : true
    }
}
