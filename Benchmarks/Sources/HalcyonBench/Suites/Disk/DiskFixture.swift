internal import FoundationEssentials
internal import HalcyonStore

/// A disk cache, and plain files and an SQLite store beside it, with the same bodies.
struct DiskFixture {
    let folder: TemporaryFolder
    let cache: DiskCache
    let keys: [String]
    let files: [String]
    private let bodySize: Int

    /// - Parameters:
    ///   - count: How many bodies there are.
    ///   - base: Where the folder is made. Default: the folder for temporary files.
    init(bodySize: Int, count: Int, base: String? = nil) throws {
        folder = try base.map { try TemporaryFolder(in: $0) } ?? TemporaryFolder()
        cache = DiskCache(.init(folder: folder.file("cache")))
        self.bodySize = bodySize
        // Other keys for each size, since the large cache holds all of them.
        keys = BenchmarkURLs.texts(count, seed: UInt64(bodySize) + 100)
        let folder = folder
        files = (0..<count).map { folder.file("file-\($0)") }
    }

    /// Stores every body in the cache and in a file.
    func fill() throws {
        try store(in: cache)
        var body = NumberedBody(size: bodySize)
        for file in files { try writeFile(file, body.next()) }
    }

    /// Stores every body in a cache.
    func store(in cache: DiskCache) throws {
        var body = NumberedBody(size: bodySize)
        for key in keys { try cache.store(body.next(), for: key) }
        try cache.flush()
    }

    /// Fills the cache up to a number of entries with small ones.
    func fillUp(to entryCount: Int) throws {
        for key in BenchmarkURLs.texts(max(0, entryCount - keys.count), seed: 11) {
            try cache.store(ManyEntries.body, for: key, durability: .none)
        }
        try cache.flush()
    }

    /// A store with every body.
    func makeReferenceStore() throws -> ReferenceStore {
        let store = try ReferenceStore(folder.file("store.sqlite"))
        var body = NumberedBody(size: bodySize)
        for key in keys { try store.put(key, body.next()) }
        return store
    }
}
