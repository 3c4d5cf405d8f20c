public import FoundationEssentials
internal import HalcyonSystem

extension DiskCache {
    /// Begins to store a body whose length is not known yet. Nothing can be seen of it before it is committed.
    ///
    /// A removal, or a later store of `key`, overtakes it: it can then no longer be committed.
    public func writer(for key: String) -> Writer {
        Writer(self, key)
    }

    /// Stores a body piece by piece. One that is neither committed nor abandoned is abandoned when it is released.
    ///
    /// Up to the inline limit the body is in memory, then in a file: the memory needed does not grow with the body.
    public final class Writer: Sendable {
        private let cache: DiskCache
        private let key: String
        private let store: DiskStore
        private let state = Lock(State())

        private struct State {
            var content = Content()
            var isDone = false
        }

        /// The bytes that were appended.
        private struct Content {
            var head = Data()
            var file: IncomingFile?
            let checksum = Checksum()
            var size = 0
        }

        init(_ cache: DiskCache, _ key: String) {
            self.cache = cache
            self.key = key
            store = cache.beginStore(for: key)
        }

        deinit {
            cache.endStore(store)
        }

        /// The number of bytes appended so far.
        public var size: Int { state.withLock { $0.content.size } }

        /// Adds bytes at the end of the body.
        ///
        /// - Throws: ``DiskCacheError`` if they cannot be written; the body is then abandoned.
        public func append(_ bytes: Data) throws(DiskCacheError) {
            try cache.failing(.write) {
                try cache.requireWritable(.write)
                try prepareFolder(for: bytes.count)
                try state.withLock { state in
                    guard !state.isDone else { throw DiskCacheError(.write, path: cache.folder, reason: Self.done) }
                    do {
                        try append(bytes, to: &state.content)
                    } catch {
                        state.isDone = true
                        state.content.file?.close()
                        throw error
                    }
                }
            }
        }

        /// Opens the index, and so makes the folder, before the first bytes are written to a file: with no lock held,
        /// because an event may be reported meanwhile.
        private func prepareFolder(for count: Int) throws {
            let needsFile = state.withLock { state in
                !state.isDone && state.content.file == nil
                    && state.content.size + count > cache.configuration.inlineLimit
            }
            guard needsFile else { return }
            do {
                try cache.withIndex { _ in }
            } catch {
                takeContent()?.file?.close()
                throw error
            }
        }

        private func append(_ bytes: Data, to content: inout Content) throws {
            content.size += bytes.count
            if content.file == nil {
                if content.size <= cache.configuration.inlineLimit {
                    content.head.append(bytes)
                    return
                }
                let file = try IncomingFile(cache.layout, cache.fileSystem)
                content.file = file
                try content.head.withUnsafeBytes { head in
                    content.checksum.update(head)
                    try file.append(head)
                }
                content.head = Data()
            }
            try bytes.withUnsafeBytes { piece in
                content.checksum.update(piece)
                try content.file?.append(piece)
            }
        }

        /// Stores the appended bytes, as ``DiskCache/store(_:for:metadata:expiration:durability:)`` does.
        ///
        /// - Returns: whether it was stored.
        @discardableResult
        public func commit(
            metadata: Data = Data(),
            expiration: Expiration? = nil,
            durability: Durability = .normal
        ) throws(DiskCacheError) -> Bool {
            try cache.failing(.write) {
                guard let content = takeContent() else {
                    throw DiskCacheError(.write, path: cache.folder, reason: Self.done)
                }
                defer {
                    content.file?.close()
                    cache.endStore(store)
                }
                guard let file = content.file else {
                    return try cache.complete(store, content.head, for: key, metadata, expiration, durability)
                }
                let hash = content.checksum.value
                if durability != .full,
                    let shared = try cache.sharedFile(hash: hash, size: content.size, holds: file.hasBytes)
                {
                    let body = StagedBody(
                        inline: nil,
                        file: nil,
                        sharedFile: shared,
                        size: content.size,
                        hash: hash
                    )
                    do {
                        return try cache.complete(store, body, for: key, metadata, expiration, durability)
                    } catch is SharedFileIsGone {
                        // The file at hand is stored.
                    }
                }
                let body = StagedBody(inline: nil, file: file, size: content.size, hash: hash)
                return try cache.complete(store, body, for: key, metadata, expiration, durability)
            }
        }

        /// Drops the appended bytes. The earlier entry of the key stays.
        public func abandon() {
            takeContent()?.file?.close()
            cache.endStore(store)
        }

        /// Ends the writer, so that what follows runs with no lock held; nil if it was ended before.
        private func takeContent() -> Content? {
            state.withLock { state in
                guard !state.isDone else { return nil }
                state.isDone = true
                let content = state.content
                state.content.head = Data()
                state.content.file = nil
                return content
            }
        }

        private static let done = "the writer was committed or abandoned before"
    }
}
