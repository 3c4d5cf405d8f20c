#if HEIC
internal import FoundationEssentials
internal import HalcyonRaster

/// What the boxes of a HEIF file say that libheif does not tell.
struct HEIFContainer {
    /// Whether the bytes end within a box, or before what describes the pictures.
    let isCutShort: Bool
    /// Whether what describes the pictures is there.
    let hasHeader: Bool
    /// Whether there are frames of a track only, no picture on its own.
    let isSequence: Bool
    /// The size of the primary item as its properties state it, before it is turned.
    let itemSize: PixelSize?
    /// How the pictures are coded: ``ImageFormat/heic``, ``ImageFormat/avif``, or ``ImageFormat/heif`` where it is
    /// otherwise.
    let format: ImageFormat
    /// The type of the primary item, such as "hvc1", "grid" or "unci".
    let itemType: String?

    private let data: Data
    private let meta: Range<Int>?

    init(_ data: Data) {
        let reader = ByteReader(data)
        var boxes = reader.boxes(in: 0..<reader.count)
        var (isCutShort, hasTracks) = (false, false)
        var meta: Range<Int>?
        while let box = boxes.next() {
            isCutShort = isCutShort || box.isCutShort
            hasTracks = hasTracks || box.type == "moov"
            if box.type == "meta", !box.isCutShort {
                meta = meta ?? box.payload
            }
        }
        self.data = data
        self.meta = meta
        let properties = meta.flatMap { HEIFItemProperties(reader, meta: $0) }
        let items = meta.map { HEIFItems.all(reader, meta: $0) } ?? []
        let types = Set(items.map(\.type))
        self.isCutShort = isCutShort || boxes.offset < reader.count || meta == nil
        hasHeader = meta != nil
        isSequence = hasTracks && meta == nil
        itemSize = properties?.primarySize
        let primary = properties?.primaryItem
        itemType = items.first { $0.identifier == primary }?.type
        let isHEIC = ImageFormat.detect(data.prefix(64)) == .heic || !types.isDisjoint(with: ["hvc1", "hev1"])
        format = isHEIC ? .heic : types.contains("av01") ? .avif : .heif
    }

    /// Whether its items claim no more bytes than the file can reasonably have.
    func hasReasonableItems(isBeginning: Bool) -> Bool {
        meta.map { HEIFItemLocations.areReasonable(ByteReader(data), meta: $0, isBeginning: isBeginning) } ?? true
    }

    /// Refuses a picture whose coded size, or that of its parts, is beyond what it states or the limits.
    ///
    /// - Parameters:
    ///   - picture: The identifier of its item.
    ///   - size: Its size as its properties state it, before it is turned.
    func checkCodedItems(of picture: Int, size: PixelSize, limits: DecodeLimits) throws(CodecError) {
        guard let meta else {
            return
        }
        // libheif does not hand our limits to the decoders of AV1.
        let items = HEIFCodedItems(
            ByteReader(data),
            meta: meta,
            of: picture,
            format: format,
            includesFrames: true
        )
        try items.check(picture, size: size, limits: limits)
    }
}
#endif
