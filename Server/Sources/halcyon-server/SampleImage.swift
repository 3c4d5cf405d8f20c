import FoundationEssentials
import Halcyon

/// A drawn landscape, so that the first URL needs no network.
enum SampleImage {
    private static let size = PixelSize(1_600, 1_067)

    /// Writes it as a JPEG, unless the file is there.
    static func write(to path: String) throws {
        guard !FileManager.default.fileExists(atPath: path) else { return }
        let data = try ImageCodecs.standard.encode(drawn(), as: .jpeg, options: EncodeOptions(quality: 90))
        try data.write(to: URL(filePath: path), options: .atomic)
    }

    private static func drawn() throws -> Bitmap {
        var bitmap = try Bitmap(size: size, isOpaque: true)
        for y in 0..<size.height {
            let height = Double(y) / Double(size.height)
            let sky = Color(red: 0.25 + 0.7 * height, green: 0.45 + 0.35 * height, blue: 0.75 - 0.1 * height)
            bitmap.fill(PixelRect(x: 0, y: y, width: size.width, height: 1), with: sky)
        }
        for row in -90...90 {
            let half = Int(Double(8_100 - row * row).squareRoot())
            let sun = PixelRect(x: 1_150 - half, y: 380 + row, width: 2 * half, height: 1)
            bitmap.fill(sun, with: Color(red: 1, green: 0.93, blue: 0.7))
        }
        for (index, base) in [620.0, 720, 840].enumerated() {
            let shade = 0.38 - 0.11 * Double(index)
            let color = Color(red: shade * 0.7, green: shade, blue: shade * 0.85)
            for x in 0..<size.width {
                let phase = Double(x) / 1_600 * 6.28 * (1.3 + Double(index))
                let top = Int(base + 70 * sine(phase) + 22 * sine(phase * 3.7 + Double(index)))
                bitmap.fill(PixelRect(x: x, y: top, width: 1, height: size.height - top), with: color)
            }
        }
        return bitmap
    }

    /// A wave of period 2π by parabolas, as FoundationEssentials has no sine.
    private static func sine(_ x: Double) -> Double {
        let turns = x / 6.283185307179586
        let part = (turns - turns.rounded(.down)) * 4
        return part < 2 ? part * (2 - part) : -(part - 2) * (4 - part)
    }
}
