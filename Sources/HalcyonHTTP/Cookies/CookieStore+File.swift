internal import FoundationEssentials
internal import HalcyonConcurrency

/// The file of a store.
extension CookieStore {
    /// Writes the changes to the file now, and takes over those of other processes. Without a file it does nothing.
    ///
    /// - Throws: ``PrivateFileError``; the changes are kept for the next write. `CancellationError`, before anything was
    ///   done.
    public func flush() async throws {
        guard file != nil else { return }
        try await writer.run(priority: PriorityBox(.normal)) { [self] _ in try write() }
    }

    /// Changes the cookies, and lets the file follow.
    func change(_ body: (inout State) -> Void) {
        let mustWrite = state.withLock { state -> Bool in
            body(&state)
            if state.pending.changes.count > 2 * configuration.limits.count {
                // The file could not be written for long: what there is now takes the place of all that was noted.
                state.pending = CookieChanges(removesAll: true)
                for cookie in state.table.cookies { state.pending.note(cookie, for: Cookie.Key(cookie)) }
            }
            guard file != nil, !state.pending.isEmpty, !state.isWriteAhead else { return false }
            state.isWriteAhead = true
            return true
        }
        guard mustWrite else { return }
        // Owned by nobody, and ended by itself after the delay: it keeps the store until the changes are written.
        Task.detached(priority: .utility) { [self] in
            try? await configuration.writeClock.sleep(upTo: configuration.writeDelay)
            writer.schedule(priority: .low) { [self] in
                do throws(PrivateFileError) {
                    try write()
                } catch {
                    configuration.onFault?(error)
                }
            }
        }
    }

    /// Writes the changes into what is in the file, whoever wrote that. On the writer's thread.
    private func write() throws(PrivateFileError) {
        guard let file else { return }
        let (pending, own) = state.withLock { state -> (CookieChanges, CookieTable) in
            state.isWriteAhead = false
            defer { state.pending = CookieChanges() }
            return (state.pending, state.table)
        }
        var merged = CookieTable(limits: configuration.limits)
        do throws(PrivateFileError) {
            try file.update { data in
                merged = self.merged(CookieFile.cookies(data ?? Data(), maximumCount: maximumReadCount), pending, own)
                let new = CookieFile.data(merged.cookies)
                return new == data || data == nil && merged.count == 0 ? nil : new
            }
        } catch {
            state.withLock { $0.pending = pending.followed(by: $0.pending) }
            throw error
        }
        adopt(merged, since: own)
    }

    private var maximumReadCount: Int { 2 * configuration.limits.count }

    /// Returns the cookies of the file with the changes of this process, within the limits.
    private func merged(_ read: [Cookie], _ pending: CookieChanges, _ own: CookieTable) -> CookieTable {
        var table = CookieTable(limits: configuration.limits)
        if !pending.removesAll {
            for cookie in read where configuration.isKept(cookie) { table.set(cookie, inOrderOf: own) }
        }
        pending.apply(to: &table, inOrderOf: own, isKept: configuration.isKept)
        let now = configuration.clock.now()
        table.removeExpired(at: now)
        table.evict(at: now, isPublicSuffix: configuration.isSuffix)
        return table
    }

    /// Takes over what is in the file: the changes of other processes.
    ///
    /// - Parameter own: The cookies of this process when its changes were written.
    private func adopt(_ merged: CookieTable, since own: CookieTable) {
        guard Set(merged.cookies) != Set(own.cookies.filter(configuration.isKept)) else { return }
        state.withLock { state in
            var table = merged
            // Those of this session are in no file.
            for cookie in state.table.cookies where !configuration.isKept(cookie) {
                table.set(cookie, inOrderOf: state.table)
            }
            if state.pending.removesAll { table = CookieTable(limits: configuration.limits) }
            // Those that were set since are written next.
            state.pending.apply(to: &table, inOrderOf: state.table, isKept: { _ in true })
            state.table = table
        }
    }
}
