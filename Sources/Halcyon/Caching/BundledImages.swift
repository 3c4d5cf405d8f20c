public import FoundationEssentials
internal import Glibc
public import HalcyonStore
internal import HalcyonSystem

/// Originals that came with a program: a tier that is only read, the last of an ``ImageCache``. A removal does not remove
/// them, and they count as new until their server has sent this process another image.
public struct BundledImages: Sendable {
    private enum Location: Sendable {
        case cache(DiskCache)
        case files(folder: String, name: @Sendable (String) -> String?)
    }

    private let location: Location
    /// The threads of look-ups in all bundles.
    private static let reading = WorkQueue(name: "halcyon.bundles", width: 4)

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
    private func data(for key: CacheKey, _ flag: CancellationFlag) -> Data? {
        switch location {
        case .cache(let cache):
            return cache.entry(for: key.text)?.body
        case .files(let folder, let name):
            guard let name = Self.file(of: key.text, named: name) else { return nil }
            return try? FileReader.read("\(folder)/\(name)", limit: 200 << 20, cancellation: flag).data
        }
    }

    /// Returns the name of an original's file; `nil` if it has none.
    private static func file(of key: String, named name: (String) -> String?) -> String? {
        let original = ParsedDiskKey(key)
        guard !original.hasScope, let name = name(original.original),
            !name.utf8.contains(where: { $0 == 0x2F || $0 == 0 }),
            name.utf8.first.map({ $0 != UInt8(ascii: ".") }) == true
        else { return nil }
        return name
    }
}

extension BundledImages: CacheTier {
    /// `true`.
    public var isReadOnly: Bool { true }

    /// Returns whether there is an original of a name, or may be one, as the folder cannot be read.
    public func mayHave(_ name: String) -> Bool {
        switch location {
        case .cache(let cache):
            return cache.contains(name, ifUnreadable: true)
        case .files(let folder, let file):
            guard let file = Self.file(of: name, named: file) else { return false }
            var status = stat()
            if FilePath.withCString("\(folder)/\(file)", { stat($0, &status) }) == 0 { return true }
            return ![ENOENT, ENOTDIR, ENAMETOOLONG].contains(errno)
        }
    }

    /// Returns an original.
    public func entry(for key: CacheKey, extending: ExpirationExtension, _ call: TierCall) async -> TierAnswer {
        guard key.variant == nil else { return .miss() }
        let answer = try? await Self.reading.run(priority: call.priorityBox) { flag -> TierAnswer in
            try flag.check()
            return data(for: key, flag).map { .hit(TierEntry(body: $0, digest: ContentDigest(of: $0).value)) }
                ?? .miss()
        }
        return answer ?? .unavailable
    }

    /// Stores nothing.
    public func store(_ entry: TierEntry, for key: CacheKey, _ call: TierCall) async -> TierOutcome { .declined }

    /// Changes nothing.
    public func update(
        _ metadata: Data,
        _ expiration: Expiration?,
        for key: CacheKey,
        replacing version: TierVersion,
        _ call: TierCall
    ) async -> TierOutcome { .declined }

    /// Removes nothing.
    public func remove(_ scope: TierScope, _ call: TierCall) async -> TierOutcome { .declined }
}
