internal import FoundationEssentials
internal import HalcyonConcurrency
internal import HalcyonFiles
internal import HalcyonStore

/// Originals that came with a program: a second location that is only read.
public struct BundledImages: Sendable {
    private enum Place: Sendable {
        case cache(DiskCache)
        case files(folder: String, name: @Sendable (String) -> String?)
    }

    private let place: Place

    /// The folder of a disk cache that was filled elsewhere, such as when the program was built.
    ///
    /// - Parameter folder: The folder as `DiskCache.Configuration` has it. Nothing in it is changed.
    public static func cache(folder: String) -> BundledImages {
        var configuration = DiskCache.Configuration(folder: folder)
        configuration.isReadOnly = true
        return BundledImages(place: .cache(DiskCache(configuration)))
    }

    /// A folder of image files.
    ///
    /// - Parameters:
    ///   - folder: An absolute path.
    ///   - name: The file's name for the cache key of a source, which is its URL unless another was given; `nil` if
    ///     there is none. A name with a slash, and one that begins with a dot, is taken for none. Default: what stands
    ///     behind the last slash, without query and fragment.
    public static func files(
        in folder: String,
        named name: @escaping @Sendable (_ cacheKey: String) -> String? = { lastPathComponent(of: $0) }
    ) -> BundledImages {
        BundledImages(place: .files(folder: folder, name: name))
    }

    /// What stands behind the last slash of an address, without query and fragment; `nil` if that is nothing.
    public static func lastPathComponent(of address: String) -> String? {
        let path = address.prefix { $0 != "?" && $0 != "#" }
        guard let slash = path.lastIndex(of: "/") else { return nil }
        let name = path[path.index(after: slash)...]
        return name.isEmpty ? nil : PercentEncoding.decoded(name)
    }

    /// The bytes of an original; `nil` if there is none, or it cannot be read. Blocks.
    func data(for key: ImageKey) -> Data? {
        switch place {
        case .cache(let cache):
            return cache.entry(for: key.originalDiskKey)?.body
        case .files(let folder, let name):
            guard let name = name(key.original.text), !name.utf8.contains(where: { $0 == 0x2F || $0 == 0 }),
                name.utf8.first.map({ $0 != UInt8(ascii: ".") }) == true
            else { return nil }
            return try? FileReader.read("\(folder)/\(name)", limit: 200 << 20, cancellation: CancellationFlag())
        }
    }
}
