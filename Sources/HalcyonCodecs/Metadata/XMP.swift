internal import FoundationEssentials
internal import HalcyonRaster

/// What an encoder needs of an XMP packet, which is XML (ISO 16684-1).
enum XMP {
    /// Returns a packet with the orientation and the size of the pixels in place of each that it states, as an attribute
    /// or an element, as long as before where its padding has room. Linear.
    static func block(_ block: Data, orientation: Orientation, size: PixelSize) -> Data {
        let values = [
            ("tiff:Orientation", orientation.rawValue), ("tiff:ImageWidth", size.width),
            ("tiff:ImageLength", size.height),
            ("exif:PixelXDimension", size.width), ("exif:PixelYDimension", size.height),
        ]
        var result = values.reduce(Array(block)) { replacing($1.0, in: $0, with: $1.1) }
        // The blanks before the end of a packet are there for that (ISO 16684-1, 7.3.2).
        if let end = result.firstRange(of: Array("<?xpacket end".utf8))?.lowerBound {
            let blanks = result[..<end].reversed().prefix { " \t\r\n".utf8.contains($0) }.count
            let excess = min(max(0, result.count - block.count), blanks)
            result.removeSubrange((end - excess)..<end)
        }
        return Data(result)
    }

    private static func replacing(_ name: String, in bytes: [UInt8], with value: Int) -> [UInt8] {
        let name = Array(name.utf8)
        var (result, rest) = ([UInt8](), bytes[...])
        while let found = rest.firstRange(of: name) {
            // Blanks, an equals sign and a quotation mark, or the end of a tag.
            let number = rest[found.upperBound...].prefix(16).firstIndex { !" \t\r\n=\"'>".utf8.contains($0) }
            let start = number ?? found.upperBound
            let digits = rest[start...].prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            result += rest[..<start]
            if !digits.isEmpty { result += Array("\(value)".utf8) }
            rest = rest[digits.endIndex...]
        }
        return result + rest
    }
}
