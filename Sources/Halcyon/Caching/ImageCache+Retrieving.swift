internal import FoundationEssentials
public import HalcyonCodecs
internal import HalcyonHTTP
internal import HalcyonRaster
internal import HalcyonStore
internal import HalcyonSystem

extension ImageCache {
    /// An image that a cache has.
    public struct Entry: Sendable {
        /// The image.
        public let image: DecodedImage
        /// The part of the cache that it was found in: ``Tiers/memory`` or ``Tiers/disk``.
        public let tier: Tiers
    }

    /// Returns the image that memory has for a request; `nil` if it has none. Never reads the disk, and does not check
    /// whether its server requires to be asked again.
    ///
    /// - Parameter request: The source, and the options that name the image, as for ``entry(for:codecs:)``. A file
    ///   without a cache key is not found, as its state is not read. ``CachePolicy/memoryExtension`` determines the
    ///   effect of the access on its expiration.
    public func entryInMemory(for request: ImageRequest) -> Entry? {
        let request = request.completed()
        guard let key = ImageKey(request) else { return nil }
        let extending = request.options.cache.memoryExtension
        let image = imageInMemory(for: key, ImageSizes(of: request), extending: extending)?.image
        return image.map { request.entry($0, in: .memory) }
    }

    /// Returns the image that this cache has for a request, from memory or else from disk, from where it is stored in memory
    /// again; `nil` if it has none.
    ///
    /// Only the cache is asked: it loads nothing, runs no processor, and returns an image whatever its server says
    /// about its use. A pipeline with ``ImageOption/onlyFromCache`` does all that. An entry that turns out to be no
    /// image is removed.
    ///
    /// - Parameters:
    ///   - request: The source, and the options that name the image: processors, ``ImageOptions/decode``, key rule, scope,
    ///     credentials and hooks; ``CachePolicy/reads`` names the parts that are read.
    ///   - codecs: Decodes, unless the options name codecs. Default: ``ImageCodecs/standard``.
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/decode`` if the entry on disk exceeds the limits of
    ///   ``ImageOptions/decode``; `CancellationError`.
    public func entry(for request: ImageRequest, codecs: ImageCodecs = .standard) async throws -> Entry? {
        let request = request.completed()
        guard !request.options.cache.isForcedRefresh, let key = try await key(for: request) else { return nil }
        if request.options.cache.reads.includesMemory, let entry = entryInMemory(for: request) { return entry }
        var own = request
        if own.options.cache.targetCache != nil { own.options.cache.targetCache = nil }
        if own.options.cache.originalCache != nil { own.options.cache.originalCache = nil }
        if own.options.delivery.includesOriginalData { own.options.delivery.includesOriginalData = false }
        // The load of a pipeline that has this cache and no sources.
        let parts = PipelineStages(of: self, codecs: codecs)
        let context = WorkContext(priority: PriorityBox(own.options.priority), report: { _ in })
        let resolved = parts.resolver.resolved(PendingRequest(own), as: key)
        do {
            let response = try await Load(ImageForm(parts)).shared(resolved.within(.thisCache), context: context)
            return request.entry(response.image, in: response.source == .memory ? .memory : .disk)
        } catch let error as ImageError where error.reason == .notCached || error.isDamage {
            return nil
        }
    }

}

extension ImageRequest {
    /// Returns an image that a cache has, at the scale of the options.
    func entry(_ image: DecodedImage, in tier: ImageCache.Tiers) -> ImageCache.Entry {
        var image = image
        image.scale = options.delivery.scale
        return ImageCache.Entry(image: image, tier: tier)
    }
}
