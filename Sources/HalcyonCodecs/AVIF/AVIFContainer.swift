internal import FoundationEssentials
internal import HalcyonRaster

/// The content of an AVIF file's boxes that libavif 0.11 does not give: whether the file is cut short, and the number
/// of times that its animation plays.
struct AVIFContainer {
    /// The file; see ``AVIFContainer+Amendments``.
    let data: Data
    /// A Boolean value that indicates whether the bytes end within a box.
    let isCutShort: Bool
    /// A Boolean value that indicates whether the file turns or crops its primary image by a property that readers may
    /// ignore, which MIAF forbids (ISO/IEC 23000-22, 7.3.9).
    let hasOptionalTransformation: Bool
    /// The size of the primary item as its properties state it.
    let itemSize: PixelSize?
    /// The payload of the `meta` box.
    let meta: Range<Int>?
    /// The track of images, if there is one.
    let track: AVIFTrack?
    /// A Boolean value that indicates whether the tracks have more frames than were asked for; ``data`` has as many.
    let hasMoreFrames: Bool
    /// A Boolean value that indicates whether it has more tracks than any file has use for: images, alpha, sound and
    /// the like.
    let hasTooManyTracks: Bool
    /// A Boolean value that indicates whether its lists are longer than any file has use for. Nothing else was read
    /// then.
    let hasTooLongLists: Bool
    /// The alpha of the primary image; `nil` also where there is a track of images.
    let alpha: AVIFItemAlpha?

    private static let greatestTrackCount = 256

    /// - Parameter frameCount: The most frames of an animation, at least 1; those behind them are cut off.
    init(_ data: Data, frameCount: Int) {
        let reader = ByteReader(data)
        hasTooLongLists = !HEIFListBounds.hold(in: reader, searchCount: HEIFListBounds.avifSearchCount)
        var boxes = reader.boxes(in: 0..<(hasTooLongLists ? 0 : reader.count))
        var isCutShort = false
        var amendments = AVIFAmendments(reader)
        var (properties, track): (HEIFItemProperties?, AVIFTrack?)
        var meta: Range<Int>?
        var (hasTooManyTracks, hasMoreFrames) = (false, false)
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
                amendments.correctItems(found, meta: box.payload)
            } else if box.type == "moov", track == nil {
                let tracks = Array(
                    reader.boxes(in: box.payload).lazy.filter { $0.type == "trak" }.prefix(Self.greatestTrackCount + 1)
                )
                hasTooManyTracks = tracks.count > Self.greatestTrackCount
                track = tracks.lazy.compactMap { AVIFTrack(reader, track: $0) }.first { $0.handler == "pict" }
                amendments.hideTracks(tracks)
                for track in tracks where amendments.cutTables(of: track, toFrames: frameCount) {
                    hasMoreFrames = true
                }
            }
        }
        self.isCutShort = isCutShort || !hasTooLongLists && boxes.offset < reader.count
        self.hasMoreFrames = hasMoreFrames
        self.track = track
        self.hasTooManyTracks = hasTooManyTracks
        self.meta = meta
        itemSize = properties?.primarySize
        let primary = properties.flatMap { properties in properties.primaryItem.map(properties.associations(of:)) }
        hasOptionalTransformation =
            primary?.contains { !$0.isEssential && ["clap", "irot", "imir"].contains($0.box.type) } ?? false
        self.data = amendments.applied()
        alpha =
            track == nil
            ? properties.flatMap { properties in
                meta.flatMap { AVIFItemAlpha(properties, meta: $0, amendments) }
            } : nil
    }

    /// Refuses an image whose coded size, or that of its tiles and its alpha, is beyond what it states or the limits:
    /// libavif bounds each part on its own, and keeps all of them until the image is put together.
    ///
    /// - Returns: The pixels of all parts as coded.
    func checkCodedItems(limits: DecodeLimits) throws(CodecError) -> SaturatingCount {
        let reader = ByteReader(data)
        guard let meta, let size = itemSize, let item = HEIFItemProperties(reader, meta: meta)?.primaryItem else {
            return 0
        }
        return try HEIFCodedItems(reader, meta: meta, of: item, format: .avif, includesFrames: false)
            .check(item, size: size, limits: limits)
    }
}
