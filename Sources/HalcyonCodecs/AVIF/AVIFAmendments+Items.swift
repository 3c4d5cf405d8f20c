internal import CAVIFShim
internal import FoundationEssentials

extension AVIFAmendments {
    /// Corrects what items say of themselves where libavif 0.11 would refuse the file for it.
    ///
    /// - Parameter meta: What the `meta` box holds.
    mutating func correctItems(_ properties: HEIFItemProperties, meta: Range<Int>) {
        let items = AVIFItems(properties)
        correctLayers(items)
        correctConfigurations(items, meta: meta)
        fitAlpha(properties, meta: meta)
        orderTiles(properties, meta: meta)
    }

    /// Puts the tiles of the image and of its alpha where libavif 0.11 looks for them. Those of other items stay, and so do
    /// tiles that several items name.
    private mutating func orderTiles(_ properties: HEIFItemProperties, meta: Range<Int>) {
        guard takesTilesAsNamed, let list = references(in: meta), let primary = properties.primaryItem else { return }
        let references = HEIFItemReferences(reader, meta: meta)
        let images = Set([primary] + references.auxiliaries(of: primary))
        var (uses, lists) = ([Int: Int](), [HEIFItemReferences.List]())
        HEIFItemReferences.forEachList(reader, in: list) { tiles in
            guard tiles.type == "dimg" else { return true }
            for tile in tiles.items(reader) { uses[tile, default: 0] += 1 }
            if images.contains(tiles.from) { lists.append(tiles) }
            return true
        }
        for tiles in lists {
            let items = tiles.items(reader)
            // Each is then moved once at the most.
            guard items.allSatisfy({ uses[$0] == 1 && !images.contains($0) }) else { continue }
            place(items, in: tiles, meta: meta)
        }
    }

    /// Returns the content of the box of references.
    func references(in meta: Range<Int>) -> Range<Int>? {
        meta.count > 4 ? reader.payload(ofBox: "iref", in: meta.lowerBound + 4..<meta.upperBound) : nil
    }

    /// A Boolean value that indicates whether this libavif takes the tiles of a grid in the order in which the boxes of the
    /// file name them first, instead of that of their references (ISO/IEC 23008-12, 6.6.2.3.2): before 1.0.
    private var takesTilesAsNamed: Bool { CodecLibrary.avif.isInstalled && halcyon_avif_version() < 1_000_000 }

    /// Makes an image of these tiles in this order, whichever libavif takes them in: the first item that is named gets the
    /// content of the first tile. Linear in the tiles and in what the box says of them, but for sorting them.
    ///
    /// - Parameters:
    ///   - tiles: Items that nothing else is made of.
    ///   - list: The references to as many tiles.
    mutating func place(_ tiles: [Int], in list: HEIFItemReferences.List, meta: Range<Int>) {
        var named = tiles
        if tiles.count > 1, takesTilesAsNamed, Set(tiles).count == tiles.count {
            let ranks = ranks ?? HEIFItemLocations.ranks(reader, meta: meta)
            self.ranks = ranks
            named.sort { (ranks[$0] ?? .max) < (ranks[$1] ?? .max) }
        }
        if named != tiles {
            let entries = entries ?? HEIFItemLocations.entries(reader, meta: meta)
            self.entries = entries
            for (item, tile) in zip(named, tiles) {
                guard let target = entries[item], let source = entries[tile], target.count == source.count,
                    let content = reader.bytes(at: source.lowerBound, count: source.count)
                else { continue }
                change(at: target.lowerBound, to: content)
            }
        }
        for (index, item) in named.enumerated() where item != list.item(index, reader) {
            let bytes = withUnsafeBytes(of: UInt32(item).bigEndian, Array.init)
            change(at: list.offset(index), to: bytes.suffix(list.byteCount))
        }
    }

    /// The choice of layers (`a1op`, `lsel`) must be marked essential, and their sizes (`a1lx`) must not (AVIF, 2.3.2).
    ///
    /// Sizes of layers are of use only where one is chosen, and may not fit then.
    private mutating func correctLayers(_ items: AVIFItems) {
        for association in items.associations {
            switch association.box.type {
            case "a1op" where !association.isEssential, "lsel" where !association.isEssential:
                mark(association, isEssential: true)
            case "a1lx" where association.isEssential:
                mark(association, isEssential: false)
            default:
                break
            }
        }
        let choosesLayer = items.associations.contains { association in
            association.box.type == "lsel" && reader.uint16(at: association.box.payload.lowerBound) != Self.anyLayer
        }
        guard !choosesLayer else {
            return
        }
        for association in items.associations where association.box.type == "a1lx" {
            change(at: association.box.start + 4, to: Array("free".utf8))
        }
    }

    private mutating func mark(_ association: HEIFItemProperties.Association, isEssential: Bool) {
        guard let byte = reader.uint8(at: association.offset) else {
            return
        }
        change(at: association.offset, to: [UInt8(byte & 0x7f) | (isEssential ? 0x80 : 0)])
    }

    /// Makes a configuration (`av1C`) say what the sequence header of the image says, if that is there: libavif compares
    /// its depth with that of `pixi`, and tells it as that of the image.
    private mutating func correctConfigurations(_ items: AVIFItems, meta: Range<Int>) {
        let contents = HEIFItemLocations.contents(
            reader,
            meta: meta,
            of: Set(items.configurations.values),
            greatestByteCount: Self.greatestHeaderByteCount
        )
        var (depths, unitCount) = ([Int: (stated: Int, coded: Int)](), 0)
        for (start, item) in items.configurations.sorted(by: { $0.key < $1.key }) {
            let place = start + Self.offsetOfLayout
            guard unitCount < Self.greatestUnitCount, let stated = reader.uint8(at: place), let content = contents[item]
            else {
                continue
            }
            let units = AV1Units(ofItem: Data(content), configuration: Data(), includesFrames: false)
            unitCount += units.count
            guard case .known(let layout) = units.layout else {
                continue
            }
            let depth = layout.depths[0]
            let bits = (depth > 8 ? 0x40 : 0) | (depth > 10 ? 0x20 : 0) | [0x1c, 0x0c, 0x08, 0][layout.chroma]
            guard stated & 0x7c != bits else {
                continue
            }
            change(at: place, to: [UInt8(stated & 0x83 | bits)])
            depths[start] = (stated & 0x40 == 0 ? 8 : stated & 0x20 == 0 ? 10 : 12, depth)
        }
        for (box, configuration) in items.depths {
            let start = box.payload.lowerBound + 5
            guard let depth = depths[configuration], depth.coded != depth.stated,
                let count = reader.uint8(at: start - 1), let stated = reader.bytes(at: start, count: count),
                stated.allSatisfy({ $0 == depth.stated })
            else {
                continue
            }
            change(at: start, to: [UInt8](repeating: UInt8(depth.coded), count: count))
        }
    }

    /// Gives the alpha of a grid the grid's size, if it is an image of its own: libavif enlarges what is coded in another
    /// size than it states, but wants alpha to be as large as the grid.
    private mutating func fitAlpha(_ properties: HEIFItemProperties, meta: Range<Int>) {
        guard let primary = properties.primaryItem else {
            return
        }
        let own = properties.associations(of: primary)
        guard !own.contains(where: { $0.box.type == "av1C" }), let size = own.first(where: { $0.box.type == "ispe" })
        else {
            return
        }
        for item in HEIFItemReferences(reader, meta: meta).auxiliaries(of: primary) {
            let associations = properties.associations(of: item)
            guard associations.contains(where: { $0.box.type == "av1C" }),
                associations.contains(where: { isAlpha($0.box) }),
                let stated = associations.first(where: { $0.box.type == "ispe" }), stated.isWide || size.index <= 0x7f
            else {
                continue
            }
            let value = size.index | (stated.isEssential ? (stated.isWide ? 0x8000 : 0x80) : 0)
            change(at: stated.offset, to: stated.isWide ? [UInt8(value >> 8), UInt8(value & 255)] : [UInt8(value)])
        }
    }

    private func isAlpha(_ box: ISOMediaBox) -> Bool {
        box.type == "auxC" && HEIFCodedItems.isAlpha(reader, box.payload)
    }

    /// `lsel` for all layers one after the other.
    private static let anyLayer = 0xffff
    /// The byte of `av1C`, with its header, that holds depth and sampling (AV1 in ISOBMFF, 2.3.3).
    private static let offsetOfLayout = 8 + 2
    /// Sequence headers come first, and are short.
    private static let greatestHeaderByteCount = 1_024
    /// Configurations after so many units stay as they are.
    private static let greatestUnitCount = 1 << 15
}

/// The properties of all items of a file.
private struct AVIFItems {
    /// Each with the item's mark.
    private(set) var associations: [HEIFItemProperties.Association] = []
    /// The offset of each `av1C` box, with the first item that has it.
    private(set) var configurations: [Int: Int] = [:]
    /// Each `pixi` box, with the offset of the `av1C` box of the first item that has both.
    private(set) var depths: [(box: ISOMediaBox, configuration: Int)] = []

    init(_ properties: HEIFItemProperties) {
        var seen: Set<Int> = []
        for item in properties.items {
            let own = properties.allAssociations(of: item)
            associations += own
            guard let configuration = own.first(where: { $0.box.type == "av1C" })?.box.start else { continue }
            configurations[configuration] = configurations[configuration] ?? item
            for box in own.map(\.box) where box.type == "pixi" && seen.insert(box.start).inserted {
                depths.append((box, configuration))
            }
        }
    }
}
