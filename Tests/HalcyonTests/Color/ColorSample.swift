import FoundationEssentials

@testable import Halcyon

/// Images whose colours are not sRGB, and with more than 8 bits a sample.
enum ColorSample {
    /// Returns the sample image, marked as Display P3 by code points.
    static func displayP3() -> Data {
        let file = Sample.encoded(Sample.noise(64, 48), .png)
        // After the signature and IHDR: 8 and 25 bytes.
        return file.prefix(33) + chunk("cICP", [12, 13, 0, 1]) + file.dropFirst(33)
    }

    /// Returns a bitmap of random samples of 16 bits.
    static func sixteenBits(_ width: Int = 40, _ height: Int = 30) -> Bitmap {
        var state: UInt32 = 7
        let samples = (0..<width * height * 4).map { index -> UInt16 in
            state = state &* 1_664_525 &+ 1_013_904_223
            return index % 4 == 3 ? 65_535 : UInt16(truncatingIfNeeded: state >> 16)
        }
        let bitmap = samples.withUnsafeBytes { try? Bitmap(premultiplying16: $0, size: PixelSize(width, height)) }
        guard let bitmap else { fatalError("size") }
        return bitmap
    }

    private static func chunk(_ type: String, _ payload: [UInt8]) -> Data {
        let covered = Array(type.utf8) + payload
        let checksum = covered.reduce(UInt32.max) { crc, byte in
            (0..<8).reduce(crc ^ UInt32(byte)) { crc, _ in crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        return Data(number(UInt32(payload.count)) + covered + number(~checksum))
    }

    private static func number(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }
}
