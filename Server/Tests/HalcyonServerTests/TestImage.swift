import Halcyon
import HalcyonTesting
import Synchronization

/// Images of tests.
enum TestImage {
    /// Returns shades of gray that do not compress.
    static func noise(_ width: Int, _ height: Int) throws -> Bitmap {
        var bitmap = try Bitmap(size: PixelSize(width, height), isOpaque: true)
        var generator = SeededGenerator(seed: 1)
        for y in 0..<height {
            for x in 0..<width {
                let color = Color(white: Double.random(in: 0...1, using: &generator))
                bitmap.fill(PixelRect(x: x, y: y, width: 1, height: 1), with: color)
            }
        }
        return bitmap
    }

    /// Returns an image of one colour with another colour in a part of it.
    static func bitmap(
        _ width: Int,
        _ height: Int,
        _ part: PixelRect = PixelRect(size: PixelSize(0, 0)),
        color: Color = .black,
        background: Color = .white
    ) throws -> Bitmap {
        var bitmap = try Bitmap(size: PixelSize(width, height), isOpaque: true)
        bitmap.fill(PixelRect(size: bitmap.size), with: background)
        bitmap.fill(part, with: color)
        return bitmap
    }
}

/// Values in the order in which they came.
final class Recorder<Value: Sendable>: Sendable {
    private let state = Mutex<[Value]>([])

    var values: [Value] { state.withLock { $0 } }

    func add(_ value: Value) { state.withLock { $0.append(value) } }
}
