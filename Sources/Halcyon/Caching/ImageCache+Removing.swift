internal import FoundationEssentials
internal import HalcyonHTTP
internal import HalcyonStore
internal import HalcyonSystem

extension ImageCache {
    /// The parts of a cache.
    public struct Tiers: OptionSet, Hashable, Sendable {
        /// The bits of the parts.
        public let rawValue: Int

        /// The parts of these bits.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// Decoded images in memory.
        public static let memory = Tiers(rawValue: 1)
        /// Encoded images on disk.
        public static let disk = Tiers(rawValue: 2)
        /// Memory and disk.
        public static let all: Tiers = [.memory, .disk]
    }
}

extension ImageCache {
    /// Removes all images from memory. An image that is being loaded is not stored there afterwards.
    public func removeAllFromMemory() {
        removeFromMemory(.everything) { memory.removeAll() }
    }

    /// Removes everything from memory, disk, and the tiers below, and what was kept of broken transfers: the bodies in each
    /// ``PartialBodyStore`` of the pipelines that use the cache, by this process or another. An image that is being loaded or
    /// stored is in none of them afterwards.
    ///
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/store`` if the disk fails, or a tier below. The images are not
    ///   found by this process any more; from the tier they are removed as soon as it does not fail.
    public func removeAll() async throws {
        try await remove(.everything, from: .all, inMemory: memory.removeAll)
    }

    /// Removes everything from disk and the tiers below, and what was kept of broken transfers. An image that is being
    /// loaded or stored is not there afterwards.
    ///
    /// - Throws: As ``removeAll()``.
    public func removeAllFromDisk() async throws {
        try await remove(.everything, from: .disk)
    }

    /// Removes the original of a request and everything that was made of it. An image that is being loaded or stored is not
    /// stored in these parts of the cache afterwards. With the disk, what was kept of its broken transfers goes as well.
    /// Complexity: O(n) in the number of images in memory.
    ///
    /// - Parameters:
    ///   - request: The request of one of its images. Of the options, the key rule, the scope, credentials and data modifiers
    ///     count: they are part of the name of the original. A file is removed in its present state.
    ///   - tiers: The parts of the cache that it is removed from. Default: memory and disk.
    /// - Returns: The number of entries that were on disk.
    /// - Throws: As ``removeAll()``; `CancellationError` while a file is looked at.
    @discardableResult
    public func remove(for request: ImageRequest, from tiers: Tiers = .all) async throws -> Int {
        guard let key = try await key(for: request) else { return 0 }
        return try await remove(
            .name(key.originalDiskKey),
            from: tiers,
            inMemory: { memory.removeAll { $0.hasOriginal(of: key) } }
        )
    }

    /// Removes from memory, disk and the tiers below all originals whose cache key begins with `prefix`, such as the
    /// URL of a server or a folder in any of its spellings, with all that was made of them, and what was kept of their
    /// broken transfers. Images of these originals that are being loaded or stored are in none of them afterwards. Does
    /// not examine other entries on disk.
    ///
    /// - Returns: The number of entries that were on disk.
    /// - Throws: As ``removeAll()``.
    @discardableResult
    public func removeAll(originalsBeginningWith prefix: String) async throws -> Int {
        var count = 0
        // Keys that a program gives have its own spelling.
        for prefix in Set([prefix, Self.normalized(prefix)]) {
            count += try await remove(
                .names(beginningWith: ParsedDiskKey.escaped(prefix)),
                from: .all,
                inMemory: { memory.removeAll { $0.originalBegins(with: prefix) } }
            )
        }
        return count
    }

    /// Returns the beginning of a URL of a web server in the spelling that names have, but for what follows the last slash of
    /// its path, which may be unfinished; another text as it is.
    private static func normalized(_ prefix: String) -> String {
        guard let scheme = prefix.firstRange(of: "://"),
            ["http", "https"].contains(prefix[..<scheme.lowerBound].lowercased())
        else { return prefix }
        let path = prefix[scheme.upperBound...].prefix { $0 != "?" && $0 != "#" }
        guard let slash = path.lastIndex(of: "/") else {
            // Of a server alone, without the slash that its names have.
            return URL(string: prefix + "/").map { String($0.name.dropLast()) } ?? prefix
        }
        return URL(string: String(prefix[...slash])).map { $0.name + prefix[prefix.index(after: slash)...] } ?? prefix
    }

    /// Removes the images from disk for which `isUnwanted` returns `true`, and from the tiers below. It is called for
    /// images that are being stored as well, and not for those that are still being loaded, nor for those that only a
    /// tier below has. Complexity: O(n) in the number of entries.
    ///
    /// - Returns: The number of entries removed.
    /// - Throws: As ``removeAll()``, but not if a tier below fails.
    @discardableResult
    public func removeFromDisk(where isUnwanted: @escaping @Sendable (StoredImage) -> Bool) async throws -> Int {
        await tiers.flush()
        return try await tiers.remove { isUnwanted(StoredImage($0)) }
    }

    /// Makes a removal that another process has made in a tier that both share, in memory and in all tiers: what is being
    /// loaded or stored here is not there afterwards. What the disk cannot remove is not found by this process any more.
    ///
    /// Complexity: O(n) in the number of images in memory.
    ///
    /// - Parameter tier: The tier that has heard of the removal, and has made it.
    /// - Returns: `false` if some of it may be left, which a later process would find.
    @discardableResult
    package func repeatRemoval(_ scope: TierScope, heardBy tier: ObjectIdentifier) async -> Bool {
        let removeFromMemory = { [memory] in
            switch scope {
            case .entry:
                break
            case .name(let name, let kept, _):
                for key in memory.keys(where: { ExactString.hasSameBytes($0.originalDiskKey, name) }) {
                    memory.remove(for: key) { image in image.digest.map { !kept.contains($0.value) } ?? true }
                }
            case .names(let prefix):
                memory.removeAll { $0.processedDiskKey.utf8.starts(with: prefix.utf8) }
            case .everything:
                memory.removeAll()
            }
        }
        do {
            let call = TierCall().withReason(.heard(by: tier))
            try await remove(scope, from: .all, call, inMemory: removeFromMemory)
            return true
        } catch {
            return false
        }
    }

    /// Removes images from memory and then from the tiers, also in a task that was cancelled; work under way does not
    /// store them again.
    ///
    /// - Returns: The number of entries that were on disk, if it was cleared.
    @discardableResult
    private func remove(
        _ scope: TierScope,
        from tiers: Tiers,
        _ call: TierCall = TierCall(),
        inMemory: () -> Void = {}
    ) async throws -> Int {
        guard tiers.contains(.disk) else {
            if tiers.contains(.memory) { removeFromMemory(scope, inMemory) }
            return 0
        }
        let removal = order.begin(scope, from: tiers)
        defer { order.end(removal) }
        if tiers.contains(.memory) { inMemory() }
        let partialBodies = partialBodies.withLock { $0 }
        if !partialBodies.isEmpty {
            // Before the removal on disk, which is awaited.
            disk.writing.schedule(priority: .normal) {
                for store in partialBodies.values { store.removeAll { scope.covers(originalsNamed: $0) } }
            }
        }
        let (count, isMadeBelow) = try await self.tiers.remove(scope, call)
        // The caller asks again, or knows that other processes may have the images meanwhile.
        if !isMadeBelow, call.reason == .change {
            throw ImageError(stage: .store, reason: .diskCache("\(TierFault())"), source: disk.cache.folder)
        }
        return count
    }

    /// Removes something from memory alone: nothing that was found there before is stored anywhere.
    private func removeFromMemory(_ scope: TierScope, _ removal: () -> Void) {
        let number = order.begin(scope, from: .memory)
        removal()
        order.end(number)
    }

    /// Returns the key of a request's image, for which the state of a file is read; `nil` if it has none.
    func key(for request: ImageRequest) async throws -> ImageKey? {
        if let key = ImageKey(request) { return key }
        guard let path = request.source.filePath else { return nil }
        let identity = try await disk.run(priority: PriorityBox(request.options.priority)) { _ in
            try? FileReader.identity(of: path)
        }
        return identity.map { ImageKey(request.source, in: $0, options: request.options) }
    }
}
