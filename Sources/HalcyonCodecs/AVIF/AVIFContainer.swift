internal import FoundationEssentials
internal import HalcyonRaster

/// What the boxes of an AVIF file say that libavif 0.11 does not tell: whether the file is cut short, and how often its
/// animation plays.
struct AVIFContainer {
    /// The file; see ``AVIFContainer+Amendments``.
    let data: Data
    /// Whether the bytes end within a box.
    let isCutShort: Bool
    /// Whether the file turns or crops its primary picture by a property that readers may ignore, which MIAF forbids
    /// (ISO/IEC 23000-22, 7.3.9).
    let hasOptionalTransformation: Bool
    /// The size of the primary item as its properties state it.
    let itemSize: PixelSize?
    /// What the `meta` box holds.
    let meta: Range<Int>?
    /// The track of pictures, if there is one.
    let track: AVIFTrack?
    /// Whether it has more tracks than any file has use for: pictures, alpha, sound and the like.
    let hasTooManyTracks: Bool

    private static let greatestTrackCount = 256

    init(_ data: Data) {
        let reader = ByteReader(data)
        var boxes = reader.boxes(in: 0..<reader.count)
        var isCutShort = false
        var amendments = AVIFAmendments(reader)
        var (properties, track): (HEIFItemProperties?, AVIFTrack?)
        var meta: Range<Int>?
        var hasTooManyTracks = false
        while let box = boxes.next() {
            isCutShort = isCutShort || box.isCutShort
            if box.isOpenEnded {
                amendments.close(box)
            }
            if box.type == "meta" {
                meta = meta ?? box.payload
            }
            if box.type == "meta", properties == nil, let found = HEIFItemProperties(reader, meta: box.payload) {
                properties = found
                amendments.separateAssociations(found.associationBoxes)
            } else if box.type == "moov", track == nil {
                let tracks = Array(
                    reader.boxes(in: box.payload).lazy.filter { $0.type == "trak" }.prefix(Self.greatestTrackCount + 1)
                )
                hasTooManyTracks = tracks.count > Self.greatestTrackCount
                track = tracks.lazy.compactMap { AVIFTrack(reader, track: $0) }.first { $0.handler == "pict" }
                amendments.hideTracks(tracks)
            }
        }
        self.isCutShort = isCutShort || boxes.offset < reader.count
        self.track = track
        self.hasTooManyTracks = hasTooManyTracks
        self.meta = meta
        itemSize = properties?.primarySize
        let primary = properties.flatMap { properties in properties.primaryItem.map(properties.associations(of:)) }
        hasOptionalTransformation =
            primary?.contains { !$0.isEssential && ["clap", "irot", "imir"].contains($0.box.type) } ?? false
        self.data = amendments.applied()
    }

    /// Refuses a picture whose coded size, or that of its tiles and its alpha, is beyond what it states or the limits:
    /// libavif bounds each part on its own, and keeps all of them until the picture is put together.
    ///
    /// - Returns: The pixels of all parts as coded.
    func checkCodedItems(limits: DecodeLimits) throws(CodecError) -> Int {
        let reader = ByteReader(data)
        guard let meta, let size = itemSize, let picture = HEIFItemProperties(reader, meta: meta)?.primaryItem else {
            return 0
        }
        return try HEIFCodedItems(reader, meta: meta, of: picture, format: .avif, includesFrames: false)
            .check(picture, size: size, limits: limits)
    }
}
