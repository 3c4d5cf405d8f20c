internal import FoundationEssentials
internal import HalcyonRaster

/// An image of tiles (`grid`, ISO/IEC 23008-12, 6.6.2.3).
struct HEIFGrid: Equatable {
    let rows: Int
    let columns: Int
    /// Of the whole image, beyond which the last tiles may reach.
    let size: PixelSize

    /// `nil` where the bytes end too early, or are of another version.
    init?(_ content: Data) {
        let reader = ByteReader(content)
        guard reader.uint8(at: 0) == 0, let flags = reader.uint8(at: 1), let rows = reader.uint8(at: 2),
            let columns = reader.uint8(at: 3),
            let width = flags & 1 == 0 ? reader.uint16(at: 4) : reader.uint32(at: 4),
            let height = flags & 1 == 0 ? reader.uint16(at: 6) : reader.uint32(at: 8)
        else {
            return nil
        }
        (self.rows, self.columns, size) = (rows + 1, columns + 1, PixelSize(width, height))
    }

    /// Returns whether tiles of a size cover the whole, each of them some of it.
    func isCovered(byTilesOf tile: PixelSize) -> Bool {
        func fits(_ count: Int, _ side: Int, _ whole: Int) -> Bool {
            side > 0 && count * side >= whole && (count - 1) * side < whole
        }
        return fits(columns, tile.width, size.width) && fits(rows, tile.height, size.height)
    }
}

/// An image that others are drawn on (`iovl`, ISO/IEC 23008-12, 6.6.2.2).
struct HEIFOverlay: Equatable {
    let size: PixelSize
    /// In sRGB, with straight alpha.
    let background: Color
    /// The place of the top left pixel of each part, which may be outside.
    let places: [PixelPoint]

    /// `nil` where the bytes end too early, or are of another version.
    init?(_ content: Data, partCount: Int) {
        let reader = ByteReader(content)
        guard reader.uint8(at: 0) == 0, let flags = reader.uint8(at: 1) else {
            return nil
        }
        let samples = (0..<4).compactMap { reader.uint16(at: 2 + 2 * $0) }.map { Double($0) / 65_535 }
        let byteCount = flags & 1 == 0 ? 2 : 4
        func number(_ index: Int) -> Int? {
            let offset = 10 + index * byteCount
            return byteCount == 2 ? reader.uint16(at: offset) : reader.uint32(at: offset)
        }
        func signed(_ index: Int) -> Int? {
            number(index).map {
                byteCount == 2 ? Int(Int16(truncatingIfNeeded: $0)) : Int(Int32(truncatingIfNeeded: $0))
            }
        }
        guard samples.count == 4, let width = number(0), let height = number(1) else {
            return nil
        }
        var places: [PixelPoint] = []
        for part in 0..<partCount {
            guard let x = signed(2 + 2 * part), let y = signed(3 + 2 * part) else {
                return nil
            }
            places.append(PixelPoint(x, y))
        }
        size = PixelSize(width, height)
        background = Color(red: samples[0], green: samples[1], blue: samples[2], alpha: samples[3])
        self.places = places
    }
}
