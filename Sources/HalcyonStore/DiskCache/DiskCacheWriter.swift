public import FoundationEssentials
internal import HalcyonConcurrency

extension DiskCache {
    /// Begins to store a body whose length is not known yet. Nothing can be seen of it before it is committed.
    public func writer(for key: String) -> Writer {
        Writer(self, key)
    }

    /// Stores a body piece by piece. One that is neither committed nor abandoned is abandoned when it is released.
    ///
    /// Up to the inline limit the body is in memory, then in a file: the memory needed does not grow with the body.
    public final class Writer: Sendable {
        private let cache: DiskCache
        private let key: String
        private let state: Lock<State>

        private struct State {
            var head = Data()
            var file: IncomingFile?
            let checksum = Checksum()
            var size = 0
            var isDone = false
        }

        init(_ cache: DiskCache, _ key: String) {
            self.cache = cache
            self.key = key
            state = Lock(State())
        }

        /// The bytes appended so far.
        public var size: Int { state.withLock { $0.size } }

        /// Adds bytes at the end of the body.
        ///
        /// - Throws: ``DiskCacheError`` if they cannot be written; the body is then abandoned.
        public func append(_ bytes: Data) throws(DiskCacheError) {
            try cache.failing(.write) {
                try state.withLock { state in
                    guard !state.isDone else { throw DiskCacheError(.write, path: cache.folder, reason: Self.done) }
                    do {
                        try cache.requireWritable(.write)
                        try append(bytes, to: &state)
                    } catch {
                        end(&state)
                        throw error
                    }
                }
            }
        }

        private func append(_ bytes: Data, to state: inout State) throws {
            state.size += bytes.count
            if state.file == nil {
                if state.size <= cache.configuration.inlineLimit {
                    state.head.append(bytes)
                    return
                }
                try cache.withIndex { _ in }
                let file = try IncomingFile(cache.layout, cache.fileSystem)
                state.file = file
                try state.head.withUnsafeBytes { head in
                    state.checksum.update(head)
                    try file.append(head)
                }
                state.head = Data()
            }
            try bytes.withUnsafeBytes { piece in
                state.checksum.update(piece)
                try state.file?.append(piece)
            }
        }

        /// Stores what was appended, as ``DiskCache/put(_:body:metadata:expiration:durability:)`` does.
        ///
        /// - Returns: whether it was stored.
        @discardableResult
        public func commit(
            metadata: Data = Data(),
            expiration: Expiration? = nil,
            durability: Durability = .normal
        ) throws(DiskCacheError) -> Bool {
            try cache.failing(.write) {
                try state.withLock { state in
                    guard !state.isDone else { throw DiskCacheError(.write, path: cache.folder, reason: Self.done) }
                    defer { end(&state) }
                    guard let file = state.file else {
                        return try cache.put(
                            key,
                            body: state.head,
                            metadata: metadata,
                            expiration: expiration,
                            durability: durability
                        )
                    }
                    let hash = state.checksum.value
                    if durability != .full,
                        let shared = try cache.sharedFile(hash: hash, size: state.size, holds: file.hasBytes)
                    {
                        let body = StagedBody(
                            inline: nil,
                            file: nil,
                            sharedFile: shared,
                            size: state.size,
                            hash: hash
                        )
                        do {
                            return try cache.store(body, key, metadata, expiration, durability)
                        } catch is SharedFileIsGone {
                            // The file at hand is stored.
                        }
                    }
                    let body = StagedBody(inline: nil, file: file, size: state.size, hash: hash)
                    return try cache.store(body, key, metadata, expiration, durability)
                }
            }
        }

        /// Drops what was appended. What the key had before stays.
        public func abandon() {
            state.withLock { end(&$0) }
        }

        private func end(_ state: inout State) {
            state.isDone = true
            state.file?.close()
            state.file = nil
            state.head = Data()
        }

        private static let done = "the writer was committed or abandoned before"
    }
}
