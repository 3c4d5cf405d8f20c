import FoundationEssentials
import HalcyonRaster

@testable import HalcyonCodecs

/// Videos that FFmpeg wrote; see `Scripts/video-fixtures`.
enum VideoFixture {
    /// Returns a file.
    static func data(_ name: String) -> Data {
        texts[name].flatMap { Data(base64Encoded: $0, options: .ignoreUnknownCharacters) } ?? Data()
    }

    /// The files of 12 grey frames, 4 a second.
    static let keys = ["mp4", "mov", "mkv", "webm", "avi", "ts", "ogv"].map { "keys.\($0)" }

    /// Returns the number of the frame of a video of grey frames that an image is.
    static func number(of image: DecodedImage) -> Int {
        let grey = Double(image.bitmap.pixel(8, 8).green)
        return Int(((grey * 219 / 255 + 16 - 40) / 10).rounded())
    }

    /// Returns a movie whose track has a matrix with these rows (ISO/IEC 14496-12, 8.3.2), in units.
    static func turned(_ data: Data, _ matrix: (Int32, Int32, Int32, Int32)) -> Data {
        var data = data
        guard let box = data.firstRange(of: Data("tkhd".utf8)) else { return Data() }
        let values = [matrix.0, matrix.1, 0, matrix.2, matrix.3, 0, 0, 0].map { $0 << 16 } + [1 << 30]
        let bytes = values.flatMap { value in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
        // Version, flags, two times, track, duration and what else stands before it.
        let start = box.upperBound + 40
        data.replaceSubrange(start..<start + bytes.count, with: bytes)
        return data
    }
}

extension Bitmap {
    /// Returns the samples of a pixel.
    func pixel(_ x: Int, _ y: Int) -> (red: Int, green: Int, blue: Int, alpha: Int) {
        withUnsafeBytes { bytes in
            func sample(_ index: Int) -> Int {
                switch depth {
                case .eight: Int(bytes[y * bytesPerRow + x * 4 + index])
                case .sixteen:
                    Int(bytes.loadUnaligned(fromByteOffset: y * bytesPerRow + x * 8 + index * 2, as: UInt16.self))
                }
            }
            return (sample(0), sample(1), sample(2), sample(3))
        }
    }
}
