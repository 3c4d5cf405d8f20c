import Foundation
import Halcyon

/// A colour of which tests of the gallery make images; none of them occurs in a theme.
struct TestShade: Hashable {
    static let red = TestShade(red: 200, green: 20, blue: 60)
    static let green = TestShade(red: 10, green: 170, blue: 80)
    static let blue = TestShade(red: 30, green: 40, blue: 210)
    static let yellow = TestShade(red: 250, green: 220, blue: 0)

    let red: UInt8
    let green: UInt8
    let blue: UInt8

    func bitmap(_ width: Int, _ height: Int) throws -> Bitmap {
        var bitmap = try Bitmap(size: PixelSize(width, height))
        let stride = bitmap.bytesPerRow
        bitmap.withUnsafeMutableBytes { bytes in
            for y in 0..<height {
                for x in 0..<width {
                    let offset = y * stride + x * 4
                    bytes[offset] = red
                    bytes[offset + 1] = green
                    bytes[offset + 2] = blue
                    bytes[offset + 3] = 255
                }
            }
        }
        return bitmap
    }

    func png(_ width: Int, _ height: Int) throws -> Data {
        try ImageCodecs.standard.encode(bitmap(width, height), as: .png)
    }
}
