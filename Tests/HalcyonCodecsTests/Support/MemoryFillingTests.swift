import FoundationEssentials
import HalcyonRaster
import HalcyonSystem
import Testing

@testable import HalcyonCodecs

/// Everything is decoded twice, over memory that holds one byte throughout and over memory that holds another.
@Suite("Memory that was in use before", .serialized)
struct MemoryFillingTests {
    /// A file of one of the formats.
    struct Sample: Sendable, CustomTestStringConvertible {
        let name: String
        let data: Data

        var testDescription: String { name }
    }

    /// What came of an attempt.
    private enum Outcome: Equatable {
        case pixels([UInt8], isOpaque: Bool, isPartial: Bool)
        case failure(String)
    }

    static func samples() throws -> [Sample] {
        let photo = try TestImages.photo(97, 61)
        let translucent = try TestImages.translucent(67, 45)
        var samples: [Sample] = []
        for encoder in ImageCodecs.all.encoders {
            for (name, bitmap) in [("photo", photo), ("translucent", translucent)] {
                for quality in [nil, 70] {
                    guard let data = try? encoder.encode(bitmap, options: EncodeOptions(quality: quality)) else {
                        continue
                    }
                    let kind = quality == nil ? "lossless" : "lossy"
                    samples.append(Sample(name: "\(encoder.format), \(name), \(kind)", data: data))
                }
            }
            guard let encoder = encoder as? any AnimationEncoder else { continue }
            let frames = (0..<3).map { number in
                var bitmap = translucent
                bitmap.fill(PixelRect(x: 5 + number * 9, y: 7, width: 20, height: 11), with: .clear)
                return AnimationFrame(bitmap: bitmap, duration: 50)
            }
            let data = try encoder.encode(frames, loopCount: 0, options: EncodeOptions(quality: nil))
            samples.append(Sample(name: "\(encoder.format), animation", data: data))
        }
        let png = Array(try PNGEncoder().encode(translucent, options: EncodeOptions()))
        let entry = ICOBytes.Entry(width: 67, height: 45, bits: 32, bytes: png)
        samples.append(Sample(name: "ico, bitmap", data: ICOBytes.file([ICOBytes.bitmap(32, [9, 99, 199])])))
        samples.append(Sample(name: "ico, PNG", data: ICOBytes.file([entry, ICOBytes.bitmap(8, [9, 99, 199, 77])])))
        samples += [Sample(name: "heic", data: HEICBytes.plain), Sample(name: "heic, rich", data: HEICBytes.rich)]
        samples += try IncrementalSample.allCases.map { Sample(name: $0.rawValue, data: try $0.data) }
        return samples
    }

    @Test("no pixel of a whole, cut or damaged file is what the memory held before", arguments: try samples())
    func twoFillings(sample: Sample) throws {
        let data = sample.data
        var files = [("whole", data)]
        files += [1, 3, 5, 7].map { ("cut at \($0)/8", data.prefix(data.count * $0 / 8)) }
        files.append(("without its end", data.dropLast(3)))
        for part in [2, 5, 7] {
            var damaged = data
            let place = data.startIndex + data.count * part / 8
            damaged[place] ^= 0x55
            files.append(("damaged at \(part)/8", damaged))
        }
        for (name, file) in files {
            let first = Self.outcomes(of: file, over: 0xa5)
            let second = Self.outcomes(of: file, over: 0x5a)
            for (kind, outcome) in first {
                #expect(outcome == second[kind], "\(name), \(kind)")
            }
        }
    }

    @Test("memory is filled before it is handed out, while that is asked for", arguments: [64, 1 << 20])
    func filling(side: Int) throws {
        for byte in [0xa5, 0x5a] as [UInt8] {
            MemoryPool.fillMemory(with: byte)
            defer { MemoryPool.fillMemory(with: nil) }
            let bitmap = try Bitmap.forDecoding(PixelSize(side, 1), isOpaque: true)
            #expect(bitmap.withUnsafeBytes { $0.allSatisfy { $0 == byte } })
        }
        #expect(MemoryPool.shared.fillByte == nil)
    }

    private static func outcomes(of data: Data, over byte: UInt8) -> [String: Outcome] {
        MemoryPool.fillMemory(with: byte)
        defer { MemoryPool.fillMemory(with: nil) }
        var outcomes: [String: Outcome] = [:]
        let codecs = ImageCodecs.all
        for options in [
            DecodeOptions(), DecodeOptions(targetSize: PixelSize(20, 15)), DecodeOptions(keepsSixteenBits: true),
            DecodeOptions(damage: .isRefused),
        ] {
            let target = options.targetSize == nil ? "" : ", reduced"
            let depth = options.keepsSixteenBits ? ", 16 bits" : ""
            let damage = options.damage == .isRefused ? ", strictly" : ""
            outcomes["image" + target + depth + damage] = outcome { try codecs.decode(data, options: options) }
        }
        outcomes["while bytes arrive"] = outcome { try decodePieces(data) }
        guard var cursor = try? codecs.decoder(for: data).cursor(for: data, options: DecodeOptions()) else {
            return outcomes
        }
        for frame in [0, 1, 2, 1] {
            outcomes["frame \(frame)"] = outcome {
                let bitmap = try cursor.bitmap(ofFrame: frame, isCancelled: { false })
                return DecodedImage(bitmap: bitmap, info: ImageInfo(format: .pam, size: bitmap.size))
            }
        }
        return outcomes
    }

    /// The last image that is shown, even if an error follows.
    private static func decodePieces(_ data: Data) throws -> DecodedImage {
        let decoder = IncrementalDecoder()
        var shown: DecodedImage?
        do {
            for start in stride(from: data.startIndex, to: data.endIndex, by: max(1, data.count / 5)) {
                try decoder.append(data[start..<min(start + max(1, data.count / 5), data.endIndex)])
                while try decoder.advance() {}
                shown = try decoder.image() ?? shown
            }
            decoder.end()
            while try decoder.advance() {}
            shown = try decoder.image() ?? shown
        } catch {
            if shown == nil { throw error }
        }
        guard let shown else { throw CodecError.empty }
        return shown
    }

    private static func outcome(_ body: () throws -> DecodedImage) -> Outcome {
        do {
            let image = try body()
            let bitmap = image.bitmap
            let pixels = bitmap.withUnsafeBytes { pixels in
                (0..<bitmap.height).flatMap { y in
                    pixels[y * bitmap.bytesPerRow..<y * bitmap.bytesPerRow + bitmap.width * bitmap.bytesPerPixel]
                }
            }
            return .pixels(pixels, isOpaque: bitmap.isOpaque, isPartial: image.isPartial)
        } catch {
            return .failure("\(error)")
        }
    }
}
