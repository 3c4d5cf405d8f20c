internal import FoundationEssentials
package import HalcyonRaster

/// The images coded with HEVC or AV1 that one image of a HEIF file is made of: itself, its tiles, its alpha.
///
/// Their sizes in the boxes do not bind them: decoders take memory for images as large as their parameter
/// sets or sequence headers say.
package struct HEIFCodedItems {
    /// Sides that tiles may have in an image that is smaller.
    package static let greatestTileSide = 1_024
    /// By how much coded sides may be longer: by blocks that are not filled.
    private static let greatestPadding = 64
    /// Units of all coded images together; beyond them, none is readable.
    private static let greatestUnitCount = 1 << 17

    /// A property that turns (`irot`), mirrors (`imir`) or crops (`clap`), with its first byte.
    struct Transformation {
        let type: String
        let value: Int
    }

    struct Item {
        /// As the properties state it.
        var size: PixelSize?
        var codedSize = CodedSize.none
        var layout = CodedLayout.none
        /// The properties that turn, mirror or crop it, in their order.
        var transformations: [Transformation] = []
        /// A Boolean value that indicates whether it is the alpha of another.
        var isAlpha = false
        var isHEVC = false
        /// The offset of the configuration of AV1, and its content.
        var configuration: (start: Int, content: Data)?

        var isCoded: Bool { isHEVC || configuration != nil }
        var isTransformed: Bool { !transformations.isEmpty }

        /// An item has one configuration (AV1 in ISOBMFF, 2.3.1).
        mutating func configure(at start: Int, _ content: Data) {
            if let configuration, configuration.start != start {
                codedSize.merge(.unreadable)
            }
            configuration = (start, content)
        }

        /// Adds what the headers among coded bytes say, and returns the number of units that were looked at.
        mutating func merge(_ content: Data, includesFrames: Bool) -> Int {
            var unitCount = 0
            if isHEVC {
                let sets = HEVCParameterSets(inStream: content)
                merge(sets)
                unitCount += sets.unitCount
            }
            if let configuration {
                let units = AV1Units(
                    ofItem: content,
                    configuration: configuration.content,
                    includesFrames: includesFrames
                )
                codedSize.merge(units.size)
                layout.merge(units.layout)
                unitCount += units.count
            }
            return unitCount
        }

        mutating func merge(_ sets: HEVCParameterSets) {
            codedSize.merge(sets.size)
            layout.merge(sets.layout)
        }

        mutating func refuse() {
            codedSize.merge(.unreadable)
            layout.merge(.contradictory)
        }
    }

    let format: ImageFormat
    let references: HEIFItemReferences
    private(set) var items: [Int: Item] = [:]

    /// - Parameter includesFrames: As ``AV1Units/size(ofItem:configuration:includesFrames:)`` takes it.
    package init(_ reader: ByteReader, meta: Range<Int>, of primary: Int, format: ImageFormat, includesFrames: Bool) {
        self.format = format
        references = HEIFItemReferences(reader, meta: meta)
        var (needed, next) = (Set([primary]), [primary])
        while let item = next.popLast() {
            for other in references.items(neededBy: item) where needed.insert(other).inserted {
                next.append(other)
            }
        }
        var unitCount = 0
        var known: [Int: HEVCParameterSets] = [:]
        let properties = HEIFItemProperties(reader, meta: meta)
        // In the order of their numbers, so that a file has one error.
        for item in needed.sorted() {
            for box in (properties?.allAssociations(of: item) ?? []).map(\.box) {
                let payload = box.payload
                if box.type == "ispe", let width = reader.uint32(at: payload.lowerBound + 4),
                    let height = reader.uint32(at: payload.lowerBound + 8)
                {
                    items[item, default: Item()].size = items[item]?.size ?? PixelSize(width, height)
                } else if box.type == "hvcC" {
                    if known[box.start] == nil, unitCount <= Self.greatestUnitCount {
                        let record = reader.bytes(at: payload.lowerBound, count: payload.count) ?? Data()
                        let sets = HEVCParameterSets(inConfiguration: record)
                        known[box.start] = sets
                        unitCount += sets.unitCount
                    }
                    items[item, default: Item()].isHEVC = true
                    if let sets = known[box.start] {
                        items[item]?.merge(sets)
                    } else {
                        items[item]?.refuse()
                    }
                } else if ["irot", "imir", "clap"].contains(box.type) {
                    let value = reader.uint8(at: payload.lowerBound) ?? 0
                    items[item, default: Item()].transformations.append(Transformation(type: box.type, value: value))
                } else if box.type == "auxC" {
                    items[item, default: Item()].isAlpha = Self.isAlpha(reader, payload)
                } else if box.type == "av1C", let content = reader.bytes(at: payload.lowerBound, count: payload.count) {
                    items[item, default: Item()].configure(at: box.start, content)
                }
            }
        }
        let coded = Set(items.filter(\.value.isCoded).keys)
        let contents = HEIFItemLocations.contents(reader, meta: meta, of: coded)
        for item in coded {
            guard unitCount <= Self.greatestUnitCount else {
                items[item]?.refuse()
                continue
            }
            unitCount += items[item]?.merge(contents[item] ?? Data(), includesFrames: includesFrames) ?? 0
        }
    }

    /// Returns whether a type of auxiliary images (`auxC`) is that of alpha.
    static func isAlpha(_ reader: ByteReader, _ payload: Range<Int>) -> Bool {
        guard let name = reader.bytes(at: payload.lowerBound + 4, count: max(0, payload.count - 4)) else {
            return false
        }
        let text = String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
        // libheif takes the first for alpha, too, whose last part says so in AVC.
        return ["urn:mpeg:avc:2015:auxid:1", "urn:mpeg:hevc:2015:auxid:1"].contains(text)
            || text == "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha"
    }

    /// Refuses images that are far larger than their properties state, larger than the limits, or far more than it
    /// takes for the whole.
    ///
    /// - Returns: The pixels of all parts as coded, each counted as often as it is decoded.
    @discardableResult
    package func check(_ primary: Int, size: PixelSize, limits: DecodeLimits) throws(CodecError) -> SaturatingCount {
        for (_, item) in items.sorted(by: { $0.key < $1.key }) {
            // libavif takes alpha that does not state its size to have that of the image.
            try check(item, item.size ?? size, limits)
        }
        var known: [Int: Measure] = [:]
        let count = try measure(primary, depth: 0, &known).pixelCount
        // Tiles reach over the border, and there may be alpha, depth and a gain map.
        let whole = PixelSize(size.width + Self.greatestTileSide, size.height + Self.greatestTileSide)
        guard count <= max(whole.pixelCount * 4, SaturatingCount(limits.pixelCount)) else {
            throw .corrupt(format, reason: "its parts have far more pixels than it has")
        }
        return count
    }

    private func check(_ item: Item, _ size: PixelSize, _ limits: DecodeLimits) throws(CodecError) {
        switch item.codedSize {
        case .none:
            return
        case .unreadable:
            throw .corrupt(format, reason: "the headers of a coded image")
        case .known(let coded):
            guard coded.width <= max(size.width + Self.greatestPadding, Self.greatestTileSide),
                coded.height <= max(size.height + Self.greatestPadding, Self.greatestTileSide)
            else {
                throw .corrupt(format, reason: "an image of \(size) is coded as \(coded)")
            }
            guard max(size.width, size.height) > Self.greatestTileSide else {
                return
            }
            try limits.check(size, of: format)
            try limits.checkMemory(coded.bitmapByteCount(depth: .sixteen), of: format)
        }
    }

    /// The pixels decoded for an item: it is decoded as often as others name it.
    private func measure(
        _ item: Int,
        depth: Int,
        _ known: inout [Int: Measure]
    ) throws(CodecError) -> Measure {
        guard depth + (known[item]?.height ?? 0) < HEIFItemReferences.greatestDepth else {
            throw .corrupt(format, reason: "images inside of images")
        }
        if let measure = known[item] {
            return measure
        }
        var measure = Measure()
        if case .known(let size) = items[item]?.codedSize {
            measure.pixelCount = size.pixelCount
        }
        for other in references.items(neededBy: item) {
            let part = try self.measure(other, depth: depth + 1, &known)
            measure.pixelCount += part.pixelCount
            measure.height = max(measure.height, part.height + 1)
        }
        known[item] = measure
        return measure
    }

    /// What it takes to decode an item.
    private struct Measure {
        var pixelCount: SaturatingCount = 0
        /// The levels of items that it needs.
        var height = 0
    }
}
