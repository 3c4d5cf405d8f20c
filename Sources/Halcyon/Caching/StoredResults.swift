/// The results of processors that are stored on disk.
///
/// For views, and for the benchmark of what they store.
@_spi(Views) public enum StoredResults: Sendable, Hashable {
    /// All.
    case all
    /// Those that took long to make, each in the place of the one of another target size: for places whose size changes
    /// as a user likes. All others are made again of the original.
    case costly

    /// The processor time that a result takes at least which is worth a place on disk: about that of encoding it, writing
    /// it and reading it again.
    private static let leastTime = Duration.milliseconds(5)

    /// Returns whether a result is stored that took this processor time to make.
    func contains(madeIn processorTime: Duration) -> Bool { self == .all || processorTime > Self.leastTime }
}

/// The key of the results that are stored. It is part of no identity.
enum StoredResultsKey: ImageOptionKey {
    static let defaultValue = StoredResults.all
}

extension ImageOption {
    /// Says which results of processors are stored on disk. Default: ``StoredResults/all``.
    @_spi(Views) public static func storedResults(_ results: StoredResults) -> ImageOption {
        .value(results, for: StoredResultsKey.self)
    }
}

extension ResolvedRequest {
    /// The results that are stored; those of encoded forms always are.
    var storedResults: StoredResults { encodedImage == nil ? options[StoredResultsKey.self] : .all }

    /// The name of the result on disk.
    var resultDiskKey: String {
        guard let place = resultPlace else { return key.processedDiskKey }
        return place.prefix + place.size
    }

    /// The beginning of the names on disk of the results that this one replaces; `nil` if it replaces none but its own.
    var replacedResults: String? { resultPlace?.prefix }

    /// The place that the results of all target sizes share on disk, and the size of this one; `nil` if each has a place
    /// of its own.
    private var resultPlace: (prefix: String, size: String)? {
        let steps = options.processing.steps
        guard storedResults == .costly, let size = steps.first, size.processor is TargetSizeProcessor else {
            return nil
        }
        let others = ImageKey.Variant(
            decode: options.decode,
            steps: Array(steps.dropFirst()),
            serializer: options.cache.serializerHook
        )
        var encoder = CacheKeyEncoder()
        encoder.beginTargetSize()
        let prefix = key.processedDiskKey(of: others.bytes + encoder.bytes)
        var own = CacheKeyEncoder()
        own.encode(size.identity)
        return (prefix, ImageKey.hexadecimal(own.bytes))
    }
}
