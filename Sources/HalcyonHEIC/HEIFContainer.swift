internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonRaster

/// The content of a HEIF file's boxes that libheif does not give.
struct HEIFContainer {
    /// A Boolean value that indicates whether the bytes end within a box, or before what describes the images.
    let isCutShort: Bool
    /// A Boolean value that indicates whether what describes the images is there.
    let hasHeader: Bool
    /// A Boolean value that indicates whether there are frames of a track only, no image on its own.
    let isSequence: Bool
    /// A Boolean value that indicates whether its lists are longer than any file has use for. Nothing else was read
    /// then.
    let hasTooLongLists: Bool
    /// A Boolean value that indicates whether images are derived from each other without end, as far as any file has
    /// use for; libheif follows them to the end.
    let hasTooDeepImages: Bool
    /// The size of the primary item as its properties state it, before it is turned.
    let itemSize: PixelSize?
    /// The coding of the images: ``ImageFormat/heic``, ``ImageFormat/avif``, or ``ImageFormat/heif`` where it is
    /// otherwise.
    let format: ImageFormat
    /// The type of the primary item, such as "hvc1", "grid" or "unci".
    let itemType: String?

    /// The file as libheif is to read it; see ``HEIFAmendments``.
    let data: Data
    /// The images that only the amended file shows on their own.
    let revealedItems: Set<Int>
    private let original: Data
    private let meta: Range<Int>?
    /// The type of each item.
    private let types: [Int: String]

    init(_ data: Data) {
        let reader = ByteReader(data)
        hasTooLongLists = !HEIFListBounds.hold(in: reader, searchCount: HEIFListBounds.heifSearchCount)
        var boxes = reader.boxes(in: 0..<(hasTooLongLists ? 0 : reader.count))
        var (isCutShort, hasTracks) = (false, false)
        var meta: Range<Int>?
        while let box = boxes.next() {
            isCutShort = isCutShort || box.isCutShort
            hasTracks = hasTracks || box.type == "moov"
            if box.type == "meta", !box.isCutShort {
                meta = meta ?? box.payload
            }
        }
        original = data
        self.meta = meta
        let properties = meta.flatMap { HEIFItemProperties(reader, meta: $0) }
        let items = meta.map { HEIFItems.all(reader, meta: $0) } ?? []
        let amendments = meta.map { HEIFAmendments(reader, meta: $0, items: items) }
        self.data = amendments?.data ?? data
        revealedItems = amendments?.revealedItems ?? []
        self.types = Dictionary(items.map { ($0.identifier, $0.type) }) { first, _ in first }
        let types = Set(self.types.values)
        self.isCutShort = !hasTooLongLists && (isCutShort || boxes.offset < reader.count || meta == nil)
        hasTooDeepImages = !(meta.map { HEIFItemReferences(reader, meta: $0).haveBoundedDepth } ?? true)
        hasHeader = meta != nil
        isSequence = hasTracks && meta == nil
        itemSize = properties?.primarySize
        let primary = properties?.primaryItem
        itemType = items.first { $0.identifier == primary }?.type
        let isHEIC = ImageFormat.detect(data.prefix(64)) == .heic || !types.isDisjoint(with: ["hvc1", "hev1"])
        format = isHEIC ? .heic : types.contains("av01") ? .avif : .heif
    }

    /// Returns whether its items claim no more bytes than the file can reasonably have.
    func hasReasonableItems(isBeginning: Bool) -> Bool {
        guard let meta else {
            return true
        }
        let reader = ByteReader(data)
        // libheif copies what is no image, such as EXIF, at once.
        let images: Set<String> = ["hvc1", "hev1", "av01", "grid", "iden", "iovl"]
        let others = Set(types.filter { !images.contains($0.value) }.keys)
        let byteCount = HEIFItemLocations.byteCounts(reader, meta: meta, of: others).ofAll
        return byteCount <= HEIFItemLocations.greatestMissingByteCount
            && HEIFItemLocations.areReasonable(reader, meta: meta, isBeginning: isBeginning)
    }

    /// Returns the composition of an image and its parts. Refuses one whose coded size, or that of its parts, is beyond
    /// what it states or the limits, or that takes far more drawing than they permit.
    ///
    /// - Parameters:
    ///   - item: The identifier of the image's item.
    ///   - size: Its size as its properties state it, before it is turned.
    /// - Returns: `nil` for a file without boxes that say so.
    func geometry(of item: Int, size: PixelSize, limits: DecodeLimits) throws(CodecError) -> HEIFGeometry? {
        guard let meta else {
            return nil
        }
        // As the file has them: the amended one names other parts.
        let reader = ByteReader(original)
        // libheif does not hand our limits to the decoders of AV1.
        let items = HEIFCodedItems(reader, meta: meta, of: item, format: format, includesFrames: true)
        try items.check(item, size: size, limits: limits)
        let geometry = HEIFGeometry(items, reader, meta: meta, types: types)
        try geometry.checkDrawing(of: item, limits: limits)
        return geometry
    }
}
