import FoundationEssentials
import HalcyonRaster

extension Data {
    /// A JPEG file with an EXIF segment right after its first marker, as cameras write it, that holds nothing but the
    /// orientation (EXIF 2.32, 4.5.2; TIFF 6.0 tag 274).
    func taggingJPEG(orientation: Orientation) -> Data {
        let header: [UInt8] = [
            0x45, 0x78, 0x69, 0x66, 0, 0,  // "Exif"
            0x4D, 0x4D, 0, 42, 0, 0, 0, 8,  // TIFF, big-endian; its first directory follows at byte 8
            0, 1,  // one entry:
            0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(orientation.rawValue), 0, 0,  // tag 274, one short number
            0, 0, 0, 0,  // no further directory
        ]
        let length = header.count + 2
        let segment: [UInt8] = [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 255)] + header
        return prefix(2) + segment + dropFirst(2)
    }
}
