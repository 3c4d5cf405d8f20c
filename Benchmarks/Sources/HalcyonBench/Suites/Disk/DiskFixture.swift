internal import FoundationEssentials
internal import HalcyonStore

/// A disk cache and plain files beside it, with the same bodies.
struct DiskFixture {
    let folder: TemporaryFolder
    let cache: DiskCache
    let keys: [String]
    let files: [String]
    let body: Data

    /// - Parameter base: Where the folder is made. Default: the folder for temporary files.
    init(bodySize: Int, count: Int, base: String? = nil) throws {
        folder = try base.map { try TemporaryFolder(in: $0) } ?? TemporaryFolder()
        cache = DiskCache(.init(folder: folder.file("cache")))
        var random = SeededRandom(seed: 8)
        body = Data(random.bytes(bodySize))
        keys = try BenchmarkURLs.make(count).map(\.absoluteString)
        let folder = folder
        files = (0..<count).map { folder.file("file-\($0)") }
    }

    /// Stores every body both ways.
    func fill() throws {
        for (key, file) in zip(keys, files) {
            try cache.put(key, body: body)
            try writeFile(file, body)
        }
    }
}
