internal import HalcyonCodecs
internal import HalcyonRaster
internal import HalcyonStore
internal import HalcyonSystem

/// The rule for the size of an image in memory that answers a request with a ``TargetSize``.
public enum SizePrecision: String, Sendable, Hashable, CaseIterable {
    /// The image that was made for the same size.
    case exact
    /// That image, or else one of the same source, made with the same options for a larger size, or whole. It is
    /// returned as it is: the place that shows it scales it down. A smaller one answers only if it is the whole image.
    ///
    /// An image with processors whose result depends on the size, such as round corners of some pixels, is answered for
    /// by that of the same size alone; see ``ImageProcessing/scalesWithImage``. On disk, in shared work and in encoded
    /// images the size is exact in any case.
    case inexact
}

/// The sizes of one image, for a request with a target size: the image with the same options but for that size.
struct ImageSizes: Sendable {
    /// The key that the sizes have in common: that of the image at its own size.
    let key: ImageKey
    /// The key of the image at its own size if no processors run, so that nothing depends on how many frames they run on;
    /// otherwise the same.
    let whole: ImageKey
    private let target: TargetSize
    /// A Boolean value that indicates whether another size than that of the target may answer.
    let isInexact: Bool
    /// A Boolean value that indicates whether processors make a still image of an animated file. The image at its own
    /// size, on which none have run, is animated.
    private let isStill: Bool

    /// Creates the sizes of an image; `nil` if it has no target size, or no larger image may ever answer for it.
    ///
    /// - Parameter options: Those of the load, as ``Source/loadOptions(from:)`` returns them: the frame of a video, and
    ///   the size of a thumbnail, are part of the image.
    init?(original: OriginalKey, options: ImageOptions) {
        guard let target = options.targetSize, target.width != nil || target.height != nil,
            options.processing.steps.allSatisfy({ $0.processor.scalesWithImage })
        else { return nil }
        var whole = options
        whole.targetSize = nil
        let key = ImageKey(original: original, options: whole)
        self.key = key
        if whole.processing.isIdentity, whole.decode.processesAllFrames {
            whole.decode.processesAllFrames = false
            self.whole = ImageKey(original: original, options: whole)
        } else {
            self.whole = key
        }
        self.target = target.inPixels(atScale: options.delivery.scale)
        isInexact = options.cache.precision == .inexact
        isStill = !options.decode.processesAllFrames
    }

    /// Returns an image of these sizes as the one that was asked for would be.
    func answer(_ image: CachedImage) -> CachedImage { isStill ? image.still : image }

    /// Returns whether an image of these sizes may answer.
    func mayUse(_ image: DecodedImage) -> Bool {
        let whole = image.info.displaySize
        if image.size == whole { return true }
        let least = target.size(of: whole)
        return image.size.width >= least.width && image.size.height >= least.height
    }
}

extension ImageSizes {
    /// Creates the sizes of a request's image in a cache; `nil` also for a file without a cache key.
    init?(of request: ImageRequest) {
        guard request.options.targetSize != nil, let original = OriginalKey(request.source, options: request.options)
        else { return nil }
        self.init(original: original, options: request.source.loadOptions(from: request.options))
    }
}

/// The variants of the images in memory that were made for a target size, by the image at its own size.
///
/// It only says what to look for: memory is asked for each, so that an image that was removed or evicted is never found.
/// An image that memory does not have any more is removed here when it is found to be gone, and the oldest ones once there are
/// too many.
///
/// An image is known by the hash of its key alone. A key would keep its name, which may be the whole of a `data:` URL,
/// for much longer than memory has the image, and outside of its limits. An image with the same hash has other names in
/// memory, where nothing is found then.
struct ImageSizeIndex: Sendable {
    /// The most images with a list, and the most sizes of each.
    static let limits = (images: 4_096, sizes: 16)

    private struct Size: Sendable {
        let variant: ImageKey.Variant
        let area: Int
    }

    private var sizes = BoundedTable<Int, [Size]>(capacity: limits.images)

    /// The variants of the sizes of an image, the smallest first.
    func variants(of image: ImageKey) -> [ImageKey.Variant] { (sizes[image.hashValue] ?? []).map(\.variant) }

    var count: Int { sizes.count }

    /// Notes a size of an image. Of too many, the smallest is left out: the others answer in its place.
    mutating func insert(_ variant: ImageKey.Variant, _ area: Int, of image: ImageKey) {
        var list = (sizes[image.hashValue] ?? []).filter { $0.variant != variant }
        list.insert(Size(variant: variant, area: area), at: list.firstIndex { $0.area >= area } ?? list.endIndex)
        if list.count > Self.limits.sizes { list.removeFirst() }
        sizes.insert(list, for: image.hashValue)
    }

    /// Leaves out a size that memory does not have.
    mutating func remove(_ variant: ImageKey.Variant, of image: ImageKey) {
        guard let list = sizes[image.hashValue]?.filter({ $0.variant != variant }) else { return }
        if list.isEmpty { sizes.remove(image.hashValue) } else { sizes.insert(list, for: image.hashValue) }
    }
}

extension ImageCache {
    /// Returns an image in memory: that of a key, or else one of another size that may answer for it.
    func imageInMemory(
        for key: ImageKey,
        _ sizes: ImageSizes?,
        extending: ExpirationExtension
    ) -> CachedImage? {
        if let image = memory.entry(for: key, extending: extending) { return image }
        guard let sizes, sizes.isInexact else { return nil }
        return largerImage(for: sizes, extending: extending)
    }

    /// Returns the smallest image in memory that may answer in the place of one of these sizes.
    func largerImage(for sizes: ImageSizes, extending: ExpirationExtension) -> CachedImage? {
        for variant in sizeIndex.withLock({ $0.variants(of: sizes.key) }) {
            let key = sizes.key.replacingVariant(by: variant)
            // Looked at first: one that does not answer is not used, and keeps its lifetime.
            guard let image = memory.entry(for: key, extending: .none) else {
                forgetSize(key, variant, of: sizes.key)
                continue
            }
            if let used = use(image, for: key, sizes, extending) { return used }
        }
        if let image = memory.entry(for: sizes.key, extending: .none) {
            return use(image, for: sizes.key, sizes, extending)
        }
        guard sizes.whole != sizes.key, let image = memory.entry(for: sizes.whole, extending: .none) else { return nil }
        return use(image, for: sizes.whole, sizes, extending)
    }

    /// Returns the largest image in memory of these sizes, which need not be as large as the one that was asked for.
    func largestImage(of sizes: ImageSizes) -> CachedImage? {
        for variant in sizeIndex.withLock({ $0.variants(of: sizes.key) }).reversed() {
            let key = sizes.key.replacingVariant(by: variant)
            // No use: it answers no request, and keeps its lifetime.
            if let image = memory.entry(for: key, extending: .none) { return image }
            forgetSize(key, variant, of: sizes.key)
        }
        return nil
    }

    /// Returns an image that was found in memory if it may answer, and extends its lifetime.
    private func use(
        _ image: CachedImage,
        for key: ImageKey,
        _ sizes: ImageSizes,
        _ extending: ExpirationExtension
    ) -> CachedImage? {
        guard let pixels = image.image, sizes.mayUse(pixels) else { return nil }
        if extending != .none { _ = memory.entry(for: key, extending: extending) }
        return sizes.answer(image)
    }

    /// Notes that memory has an image of one of several sizes.
    func noteSize(_ key: ImageKey, of image: CachedImage, _ sizes: ImageSizes) {
        // Processors made an image of a target size, so that its key has a variant.
        guard let pixels = image.image, let variant = key.variant else { return }
        sizeIndex.withLock { $0.insert(variant, pixels.size.area, of: sizes.key) }
    }

    /// Leaves a size out of the index, unless it has just been stored.
    private func forgetSize(_ key: ImageKey, _ variant: ImageKey.Variant, of image: ImageKey) {
        sizeIndex.withLock { $0.remove(variant, of: image) }
        // Stored after the look, and noted before it was left out.
        guard let stored = memory.entry(for: key, extending: .none)?.image else { return }
        sizeIndex.withLock { $0.insert(variant, stored.size.area, of: image) }
    }
}
