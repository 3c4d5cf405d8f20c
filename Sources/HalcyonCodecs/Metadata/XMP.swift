internal import FoundationEssentials
internal import HalcyonRaster

/// What an encoder needs of an XMP packet, which is XML (ISO 16684-1).
enum XMP {
    /// Returns a packet with an orientation in place of each that it states, as an attribute or an element. Linear.
    static func block(_ block: Data, orientation: Orientation) -> Data {
        let name = Array("tiff:Orientation".utf8)
        var bytes = Array(block)
        var start = 0
        while let found = bytes[start...].firstRange(of: name) {
            start = found.upperBound
            // Blanks, an equals sign and a quotation mark, or the end of a tag.
            let value = bytes[start...].prefix(16).firstIndex { !" \t\r\n=\"'>".utf8.contains($0) }
            guard let value, (UInt8(ascii: "1")...UInt8(ascii: "8")).contains(bytes[value]) else { continue }
            bytes[value] = UInt8(ascii: "0") + UInt8(orientation.rawValue)
        }
        return Data(bytes)
    }
}
