import FoundationEssentials
import Halcyon

/// A colour that no mixture of others is taken for.
struct TestColor: Hashable, CustomStringConvertible {
    let red: UInt8
    let green: UInt8
    let blue: UInt8

    static let red = TestColor(red: 255, green: 0, blue: 0)
    static let green = TestColor(red: 0, green: 255, blue: 0)
    static let blue = TestColor(red: 0, green: 0, blue: 255)
    static let yellow = TestColor(red: 255, green: 255, blue: 0)
    static let magenta = TestColor(red: 255, green: 0, blue: 255)

    var description: String {
        switch self {
        case .red: "red"
        case .green: "green"
        case .blue: "blue"
        case .yellow: "yellow"
        case .magenta: "magenta"
        default: "(\(red), \(green), \(blue))"
        }
    }

    /// Returns an image of this colour alone.
    func bitmap(_ width: Int = 80, _ height: Int = 80) throws -> Bitmap {
        var bitmap = try Bitmap(size: PixelSize(width, height), isOpaque: true)
        bitmap.withUnsafeMutableBytes { bytes in
            for offset in stride(from: 0, to: bytes.count - 3, by: 4) {
                bytes[offset] = red
                bytes[offset + 1] = green
                bytes[offset + 2] = blue
                bytes[offset + 3] = 255
            }
        }
        return bitmap
    }

    func image(_ width: Int = 80, _ height: Int = 80) throws -> DecodedImage {
        try ImageCodecs.standard.decode(png(width, height))
    }

    func png(_ width: Int = 80, _ height: Int = 80) throws -> Data {
        try ImageCodecs.standard.encode(bitmap(width, height), as: .png)
    }
}
