import Foundation
import Halcyon
import XCTest

/// The pixels of a window, compared by region and colour.
struct GalleryScreenshot {
    let bitmap: Bitmap

    init(_ path: String) throws {
        bitmap = try ImageCodecs.standard.decode(Data(contentsOf: URL(fileURLWithPath: path))).bitmap
    }

    /// The path for a screenshot, in the folder that `HALCYON_SCREENSHOTS` names, or in the build's.
    static func path(_ name: String) throws -> String {
        let folder = ProcessInfo.processInfo.environment["HALCYON_SCREENSHOTS"] ?? ".build/screenshots"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return "\(folder)/\(name).png"
    }

    var width: Int { bitmap.width }
    var height: Int { bitmap.height }

    /// The pixels of a colour: their number, and the middle of the place that they take.
    func area(of shade: TestShade) -> (count: Int, x: Double, y: Double) {
        var (count, sumX, sumY) = (0, 0, 0)
        forEachPixel { x, y, pixel in
            guard Self.isNear(pixel, shade) else { return }
            count += 1
            sumX += x
            sumY += y
        }
        let divisor = Double(max(1, count))
        return (count, Double(sumX) / divisor, Double(sumY) / divisor)
    }

    /// The mean brightness of a region, from 0 to 255.
    func brightness(_ region: (x: Range<Int>, y: Range<Int>)) -> Double {
        var (sum, count) = (0, 0)
        forEachPixel { x, y, pixel in
            guard region.x.contains(x), region.y.contains(y) else { return }
            sum += Int(pixel.red) + Int(pixel.green) + Int(pixel.blue)
            count += 3
        }
        return Double(sum) / Double(max(1, count))
    }

    private func forEachPixel(_ body: (Int, Int, TestShade) -> Void) {
        let stride = bitmap.bytesPerRow
        bitmap.withUnsafeBytes { bytes in
            for y in 0..<bitmap.height {
                for x in 0..<bitmap.width {
                    let offset = y * stride + x * 4
                    body(x, y, TestShade(red: bytes[offset], green: bytes[offset + 1], blue: bytes[offset + 2]))
                }
            }
        }
    }

    private static func isNear(_ pixel: TestShade, _ shade: TestShade) -> Bool {
        abs(Int(pixel.red) - Int(shade.red)) <= 3 && abs(Int(pixel.green) - Int(shade.green)) <= 3
            && abs(Int(pixel.blue) - Int(shade.blue)) <= 3
    }
}
