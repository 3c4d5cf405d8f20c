internal import CCurlShim
internal import Glibc
internal import HalcyonSystem

/// The work of the loop's thread.
extension CurlEventLoop {
    func run() {
        halcyon_curl_name_thread("halcyon-http")
        do {
            multi = try CurlLibrary.multiHandle(idleConnections: configuration.maximumIdleConnections)
        } catch {
            return fail(error)
        }
        handles.openCookies()
        var commands: [CurlMailbox.Command] = []
        watch.beginWork()
        while true {
            watch.noteProgress()
            let stop = mailbox.take(into: &commands)
            now = .now
            for command in commands { perform(command) }
            if stop == .now { cancelEverything() }
            mayStartMore = false
            startWaiting()
            var count: Int32 = 0
            _ = libcurl.curl_multi_perform(multi, &count)
            collectFinished()
            enforceDeadlines()
            retryHeldTransfers()
            inspectWire()
            handles.cookies?.trimIfNeeded()
            if running.isEmpty { handles.cookies?.write() }
            if stop != .never { finishAbandoned() }
            if stop != .never, scheduler.isIdle, mailbox.closeIfEmpty() { break }
            // The next transfer is chosen only after the commands that came meanwhile: they may hold a more urgent one.
            if mayStartMore, scheduler.waitingCount > 0 { continue }
            sleep(unlessStoppedSince: stop)
        }
        handles.cookies?.write(isLast: true)
        handles.removeAll()
        _ = libcurl.curl_multi_cleanup(multi)
        watch.stop()
    }

    /// Waits for the network, the next deadline or a message, unless one has come since the mailbox was emptied.
    private func sleep(unlessStoppedSince stop: CurlMailbox.Stop) {
        guard mailbox.fallAsleep(in: multi, unlessStoppedSince: stop) else { return }
        let timeout = min(nextDeadline, nextRenewal, scheduler.nextStart).pollTimeout(from: now)
        watch.endWork()
        defer { watch.beginWork() }
        if libcurl.curl_multi_poll(multi, nil, 0, timeout, nil) != CURLM_OK {
            // Out of memory, say: try again, but not as fast as the processor can.
            usleep(10_000)
        }
    }
}
