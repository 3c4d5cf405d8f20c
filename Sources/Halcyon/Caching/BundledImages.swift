internal import FoundationEssentials
internal import HalcyonConcurrency
internal import HalcyonFiles
internal import HalcyonStore

/// Originals that came with a program: a second location that is only read.
public struct BundledImages: Sendable {
    private enum Location: Sendable {
        case cache(DiskCache)
        case files(folder: String, name: @Sendable (String) -> String?)
    }

    private let location: Location

    /// Returns the images in the folder of a disk cache that was filled elsewhere, such as when the program was built.
    ///
    /// - Parameter folder: The folder as `DiskCache.Configuration` has it. Nothing in it is changed.
    public static func cache(folder: String) -> BundledImages {
        var configuration = DiskCache.Configuration(folder: folder)
        configuration.isReadOnly = true
        return BundledImages(location: .cache(DiskCache(configuration)))
    }

    /// Returns the images in a folder of files. They are the same for all requests: an image with a ``CacheScope``, a
    /// credential, or a modifier of its bytes is not among them.
    ///
    /// - Parameters:
    ///   - folder: An absolute path.
    ///   - name: Returns the file's name for the cache key of a source, which is its URL unless another was given;
    ///     `nil` if there is none. A name with a slash, and one that begins with a dot, counts as none. Default: the
    ///     text behind the last slash, without query and fragment.
    public static func files(
        in folder: String,
        named name: @escaping @Sendable (_ cacheKey: String) -> String? = { lastPathComponent(of: $0) }
    ) -> BundledImages {
        BundledImages(location: .files(folder: folder, name: name))
    }

    /// Returns the text behind the last slash of an address, without query and fragment; `nil` if there is none.
    public static func lastPathComponent(of address: String) -> String? {
        let path = address.prefix { $0 != "?" && $0 != "#" }
        guard let slash = path.lastIndex(of: "/") else { return nil }
        let name = path[path.index(after: slash)...]
        return name.isEmpty ? nil : PercentEncoding.decoded(name)
    }

    /// Returns the bytes of an original; `nil` if there is none, or it cannot be read. Blocks.
    func data(for key: ImageKey) -> Data? {
        switch location {
        case .cache(let cache):
            return cache.entry(for: key.originalDiskKey)?.body
        case .files(let folder, let name):
            let original = key.original
            guard original.scope == nil, let name = name(original.text),
                !name.utf8.contains(where: { $0 == 0x2F || $0 == 0 }),
                name.utf8.first.map({ $0 != UInt8(ascii: ".") }) == true
            else { return nil }
            return try? FileReader.read("\(folder)/\(name)", limit: 200 << 20, cancellation: CancellationFlag()).data
        }
    }
}
