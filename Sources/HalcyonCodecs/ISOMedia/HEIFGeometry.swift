internal import FoundationEssentials
package import HalcyonRaster

/// A check that the parts of an image fit together, before a library puts them together.
///
/// libheif 1.15 reads beyond its buffers where the parts of an overlay reach over the border, and relies on boxes that
/// say how large parts and their alpha are.
package struct HEIFGeometry {
    /// The types of items that are decoded, or composed of others.
    private static let knownTypes: Set<String> = ["hvc1", "hev1", "av01", "grid", "iden", "iovl"]

    let coded: HEIFCodedItems
    private let types: [Int: String]
    private let contents: [Int: Data]
    private var format: ImageFormat { coded.format }

    /// - Parameter coded: The items that the image needs.
    package init(_ coded: HEIFCodedItems, _ reader: ByteReader, meta: Range<Int>, types: [Int: String]) {
        self.coded = coded
        self.types = types
        let derived = types.filter { ["grid", "iovl"].contains($0.value) }.map(\.key)
        contents = HEIFItemLocations.contents(reader, meta: meta, of: Set(derived))
    }

    /// Returns the composition of an image, where libheif is not to put it together. Refuses one that libheif should
    /// not put together.
    ///
    /// - Parameter item: The item that was given, or a part of it that is decoded on its own.
    package func assembly(of item: Int) throws(CodecError) -> HEIFComposition? {
        if let composition = try composition(of: item) { return composition }
        var checked: Set<Int> = []
        try check(item, &checked)
        return nil
    }

    private func check(_ item: Int, _ checked: inout Set<Int>) throws(CodecError) {
        guard checked.insert(item).inserted else {
            return
        }
        let type = types[item] ?? "nothing"
        guard Self.knownTypes.contains(type) else {
            throw .unsupported(format, reason: "its image is coded as \(type)")
        }
        switch type {
        case "grid":
            _ = try tiles(of: item)
        case "iden":
            guard coded.references.parts(of: item).count == 1 else {
                throw .corrupt(
                    format,
                    reason: "an image is derived from \(coded.references.parts(of: item).count) others"
                )
            }
        case "iovl":
            throw .unsupported(format, reason: "an overlay inside of another image")
        default:
            break
        }
        for part in coded.references.parts(of: item) {
            try check(part, &checked)
        }
        for alpha in coded.references.auxiliaries(of: item) where coded.items[alpha]?.isAlpha == true {
            try checkAlpha(alpha, of: item)
            try check(alpha, &checked)
        }
    }

    /// Alpha has the size of what it belongs to, and both have that by the headers of what is coded.
    private func checkAlpha(_ alpha: Int, of item: Int) throws(CodecError) {
        let size = coded.items[item]?.size
        // Alpha that does not state its size has that of the image.
        let isStatedOtherwise = coded.items[alpha]?.size.map { $0 != size } ?? false
        var isEqual = !isStatedOtherwise
        for one in [item, alpha] where try decodedSize(of: one) != size { isEqual = false }
        guard isEqual else {
            throw .corrupt(format, reason: "an image and its alpha are not equally large")
        }
    }

    /// The size of what libheif makes of an item, before it is turned.
    private func decodedSize(of item: Int, depth: Int = 0) throws(CodecError) -> PixelSize? {
        switch types[item] {
        case "grid": return try grid(of: item).size
        case "iden" where depth < 8:
            guard let part = coded.references.parts(of: item).first, coded.items[part]?.isTransformed != true else {
                return nil
            }
            return try decodedSize(of: part, depth: depth + 1)
        default:
            guard case .known(let layout)? = coded.items[item]?.layout else {
                return nil
            }
            return layout.size
        }
    }

    private func grid(of item: Int) throws(CodecError) -> HEIFGrid {
        guard let grid = contents[item].flatMap(HEIFGrid.init) else {
            throw .corrupt(format, reason: "what describes its tiles")
        }
        return grid
    }

    /// The tiles of a grid, all of the same kind, which cover it.
    private func tiles(of item: Int) throws(CodecError) -> (grid: HEIFGrid, size: PixelSize) {
        let grid = try grid(of: item)
        let parts = coded.references.parts(of: item)
        guard parts.count == grid.rows * grid.columns else {
            throw .corrupt(
                format,
                reason: "\(parts.count) tiles instead of \(grid.columns) × \(grid.rows)"
            )
        }
        if let stated = coded.items[item]?.size, stated != grid.size {
            throw .corrupt(format, reason: "a grid of \(grid.size) pixels is stated to have \(stated)")
        }
        var common: PlaneLayout?
        for part in Set(parts) {
            guard let tile = coded.items[part], tile.isCoded, case .known(let layout) = tile.layout,
                tile.size == layout.size, common == nil || common == layout
            else {
                throw .corrupt(format, reason: "tiles that differ from each other or from what is said of them")
            }
            guard !tile.isTransformed,
                !coded.references.auxiliaries(of: part).contains(where: { coded.items[$0]?.isAlpha == true })
            else {
                throw .unsupported(format, reason: "tiles that are turned, cropped or have alpha of their own")
            }
            common = layout
        }
        guard let tile = common?.size, grid.isCovered(byTilesOf: tile) else {
            throw .corrupt(format, reason: "tiles that do not cover its \(grid.size) pixels")
        }
        return (grid, tile)
    }

    /// Returns the composition of an image that libheif is not to put together itself: an overlay, or a grid that names
    /// a tile more than once, which libheif 1.19 refuses. `nil` for others.
    func composition(of item: Int) throws(CodecError) -> HEIFComposition? {
        let parts = coded.references.parts(of: item)
        let isGrid = types[item] == "grid" && Set(parts).count < parts.count
        guard isGrid || types[item] == "iovl" else {
            return nil
        }
        guard !coded.references.auxiliaries(of: item).contains(where: { coded.items[$0]?.isAlpha == true }) else {
            throw .unsupported(format, reason: "an overlay with alpha of its own")
        }
        let composition: HEIFComposition
        if isGrid {
            let (grid, tile) = try tiles(of: item)
            let places = parts.indices.map {
                PixelPoint($0 % grid.columns * tile.width, $0 / grid.columns * tile.height)
            }
            composition = HEIFComposition(size: grid.size, background: .black, parts: parts, places: places)
        } else {
            guard let overlay = contents[item].flatMap({ HEIFOverlay($0, partCount: parts.count) }) else {
                throw .corrupt(format, reason: "what describes its overlay")
            }
            composition = HEIFComposition(
                size: overlay.size,
                background: overlay.background,
                parts: parts,
                places: overlay.places
            )
        }
        guard !composition.size.isEmpty, coded.items[item]?.size ?? composition.size == composition.size else {
            throw .corrupt(format, reason: "a canvas of \(composition.size) pixels is stated otherwise")
        }
        return composition
    }
}

/// Images drawn over each other on a canvas, in their order.
package struct HEIFComposition: Equatable {
    package let size: PixelSize
    package let background: Color
    /// The identifiers of the items, as often as they are drawn.
    package let parts: [Int]
    /// The place of the top left pixel of each.
    package let places: [PixelPoint]
}
