internal import CHEIFShim
internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonRaster

/// An open HEIF file: owns libheif's context, which reads from bytes that must outlive it.
final class HEIFReader {
    /// The part of the file that is there.
    enum Extent {
        /// All of it.
        case whole
        /// Perhaps the beginning only, which is enough for the header.
        case beginning
    }

    /// The bound of sides, which they stay below. libheif 1.19 bounds their product only.
    static let greatestSideLength: Int32 =
        libheif.heif_get_version_number() >= boundsPixelCountVersion ? 1 << 20 : greatestSideOfSquare
    /// libheif's bound of pixels, as the side of a square.
    private static let greatestSideOfSquare: Int32 = 32_768
    static var greatestPixelCount: Int { Int(greatestSideOfSquare) * Int(greatestSideOfSquare) }
    private static let boundsPixelCountVersion: UInt32 = 1 << 24 | 19 << 16
    /// Images of one file that are shown, whatever the caller allows.
    private static let greatestImageCount = 10_000

    let context: OpaquePointer
    let container: HEIFContainer
    /// The images of the file that are no part of another, the primary one first, as many as the limits permit.
    let items: [heif_item_id]
    /// A Boolean value that indicates whether there are no more.
    private let areAllItems: Bool
    /// The bytes that the context reads from where the file may be cut short.
    private let beginning: HEIFBeginning?

    /// Reads the boxes.
    ///
    /// - Parameters:
    ///   - bytes: Those of `container`; borrowed until the reader is gone.
    ///   - container: What its boxes say.
    ///   - extent: Whether pixels will be asked for.
    ///   - limits: Of these, the number of images counts here, and from libheif 1.19 on the memory.
    init(
        _ bytes: UnsafeRawBufferPointer,
        of container: HEIFContainer,
        extent: Extent,
        limits: DecodeLimits
    ) throws(CodecError) {
        guard CodecLibrary.heif.isInstalled else {
            throw .unsupported(container.format, reason: "libheif is not installed")
        }
        guard !container.isSequence else {
            throw .unsupported(container.format, reason: "it is an image sequence")
        }
        guard !container.hasTooLongLists else {
            throw .corrupt(container.format, reason: "its lists are longer than those of any image")
        }
        guard !container.hasTooDeepImages else {
            throw .corrupt(container.format, reason: "images inside of images")
        }
        guard container.hasReasonableItems(isBeginning: extent == .beginning) else {
            throw container.isCutShort
                ? .truncated(container.format)
                : .corrupt(container.format, reason: "its items claim more bytes than the file has")
        }
        guard let context = libheif.heif_context_alloc() else {
            throw .bitmap(.outOfMemory(byteCount: 0))
        }
        libheif.heif_context_set_maximum_image_size_limit(context, Self.greatestSideOfSquare)
        libheif.heif_context_set_max_decoding_threads(context, 0)
        halcyon_heif_set_greatest_allocation(context, UInt64(max(1, limits.memory)))
        let beginning = extent == .beginning && container.hasHeader ? HEIFBeginning(bytes) : nil
        do throws(CodecError) {
            let result =
                if let beginning {
                    beginning.read(into: context)
                } else {
                    libheif.heif_context_read_from_memory_without_copy(context, bytes.baseAddress, bytes.count, nil)
                }
            try Self.check(result, container)
            (items, areAllItems) = try Self.items(of: context, container, limits)
        } catch {
            libheif.heif_context_free(context)
            throw error
        }
        self.beginning = beginning
        self.context = context
        self.container = container
    }

    deinit {
        libheif.heif_context_free(context)
    }

    /// The description of the primary image in the header.
    var info: ImageInfo {
        get throws(CodecError) {
            var info = try handle(of: items[0]).info(of: container.format, frameCount: items.count)
            info.isFrameCountExact = areAllItems
            return info
        }
    }

    /// EXIF, XMP and ICC profile of the primary image.
    var metadata: ImageMetadata {
        get throws(CodecError) {
            try handle(of: items[0]).metadata()
        }
    }

    /// An image, or its thumbnail if that will do.
    func image(options: DecodeOptions, isCancelled: () -> Bool) throws -> DecodedImage {
        let info = try info
        guard items.indices.contains(options.frame) else {
            throw CodecError.noSuchFrame(options.frame, frameCount: items.count)
        }
        var handle = try handle(of: items[options.frame])
        if options.usesEmbeddedThumbnail, let thumbnail = handle.thumbnail(for: options.targetSize) {
            handle = thumbnail
        }
        let profile = try handle.colorProfile()
        let bitmap = try handle.bitmap(options: options, context: context, isCancelled: isCancelled)
        return DecodedImage(bitmap: bitmap, info: info, colorProfile: profile)
    }

    private func handle(of item: heif_item_id) throws(CodecError) -> HEIFImageHandle {
        try Self.handle(of: item, in: context, container)
    }

    /// An image of the file, whether it is shown on its own or part of another.
    static func handle(
        of item: heif_item_id,
        in context: OpaquePointer,
        _ container: HEIFContainer,
        partOf whole: HEIFGeometry? = nil
    ) throws(CodecError) -> HEIFImageHandle {
        var handle: OpaquePointer?
        try check(libheif.heif_context_get_image_handle(context, item, &handle), container)
        guard let handle else {
            throw .corrupt(container.format, reason: "no image with the number \(item)")
        }
        return HEIFImageHandle(handle, identifier: item, container: container, partOf: whole)
    }

    /// Files exist whose primary item is the thumbnail of another, which is then the image meant.
    private static func items(
        of context: OpaquePointer,
        _ container: HEIFContainer,
        _ limits: DecodeLimits
    ) throws(CodecError) -> (items: [heif_item_id], areAll: Bool) {
        // Their number is bounded by that of the file's items.
        let count = libheif.heif_context_get_number_of_top_level_images(context)
        var items = [heif_item_id](repeating: 0, count: max(0, Int(count)))
        let found = libheif.heif_context_get_list_of_top_level_image_IDs(context, &items, Int32(items.count))
        items.removeLast(items.count - min(items.count, max(0, Int(found))))
        items.removeAll { container.revealedItems.contains(Int($0)) }
        var primary: heif_item_id = 0
        if libheif.heif_context_get_primary_image_ID(context, &primary).code == heif_error_Ok,
            let index = items.firstIndex(of: primary)
        {
            items.remove(at: index)
            items.insert(primary, at: 0)
        }
        guard let first = items.first else {
            throw container.isCutShort
                ? .truncated(container.format) : .corrupt(container.format, reason: "it holds no image")
        }
        // Images of a coding that libheif does not know have no depth; the first is to fail by its own error.
        let known = [first] + items.dropFirst().filter { isKnown($0, in: context) }
        let maximum = max(1, min(limits.frameCount, greatestImageCount))
        return (Array(known.prefix(maximum)), known.count <= maximum)
    }

    private static func isKnown(_ item: heif_item_id, in context: OpaquePointer) -> Bool {
        var handle: OpaquePointer?
        guard libheif.heif_context_get_image_handle(context, item, &handle).code == heif_error_Ok, let handle else {
            return false
        }
        defer { libheif.heif_image_handle_release(handle) }
        return libheif.heif_image_handle_get_luma_bits_per_pixel(handle) > 0
    }
}
