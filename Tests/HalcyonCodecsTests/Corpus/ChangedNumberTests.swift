import FoundationEssentials
import Glibc
import HalcyonRaster
import Testing

@testable import HalcyonCodecs

/// A small file of each kind, in which one number after the other is made as small or as large as it can be.
///
/// The ordinary run takes every 97th change, which comes by each kind of change and each place. With the environment
/// variable `HALCYON_CHANGED_FILES` all are taken, some minutes of them; the folder that it names holds the files that are
/// being tried, of which one is left where the process ends.
@Suite("Files with a changed number")
struct ChangedNumberTests {
    private static let folder = ProcessInfo.processInfo.environment["HALCYON_CHANGED_FILES"]
    private static let limits = DecodeLimits(
        pixelCount: 1 << 20,
        sideLength: 1 << 14,
        frameCount: 100,
        memory: 16 << 20
    )

    @Test("give an image or an error", arguments: ChangedNumberSample.allCases)
    func changes(sample: ChangedNumberSample) throws {
        let file = try sample.data
        try #require(!file.isEmpty)
        #expect(try ImageCodecs.all.decode(file, options: DecodeOptions(limits: Self.limits)).isPartial == false)
        let offsets = min(file.count, 4_096)
        let count = offsets * Self.numbers.count
        for change in stride(from: 0, to: count, by: Self.folder == nil ? 97 : 1) {
            let (offset, kind) = change.quotientAndRemainder(dividingBy: Self.numbers.count)
            let number = Self.numbers[kind].prefix(file.count - offset)
            let range = file.startIndex + offset..<file.startIndex + offset + number.count
            guard !file[range].elementsEqual(number) else { continue }
            var changed = file
            changed.replaceSubrange(range, with: number)
            if let folder = Self.folder { try changed.write(to: URL(filePath: "\(folder)/\(sample)")) }
            let start = clock()
            let failure = Self.read(changed)
            let time = clock() - start
            #expect(failure == nil, "\(sample), \(number) at \(offset): \(failure ?? "")")
            // Time is no matter of tests but of a run of all changes, where a file of 2 s stands out.
            if Self.folder != nil, time > 2 { Issue.record("\(sample), \(number) at \(offset): \(time) s") }
        }
    }

    /// 0, 1, and the greatest numbers with and without a sign, of 8 to 64 bits in both orders of bytes.
    private static let numbers: [[UInt8]] = [1, 2, 4, 8].flatMap { width -> [[UInt8]] in
        let zeros = [UInt8](repeating: 0, count: width - 1)
        let greatest = [UInt8](repeating: 0xFF, count: width - 1)
        let numbers = [zeros + [0], greatest + [0xFF], zeros + [1], [0x7F] + greatest]
        return numbers + (width == 1 ? [] : [[1] + zeros, greatest + [0x7F]])
    }

    /// Returns what is wrong with how a file is read: an error of another type, or an image beyond the limits.
    private static func read(_ file: Data) -> String? {
        let codecs = ImageCodecs.all
        func problem(_ body: () throws -> DecodedImage?) -> String? {
            do {
                guard let size = try body()?.size, size.area > limits.pixelCount else { return nil }
                return "\(size) pixels"
            } catch is CodecError {
                return nil
            } catch {
                return "\(error)"
            }
        }
        let problems = [
            problem {
                _ = try codecs.info(of: file, limits: limits)
                return nil
            },
            problem {
                _ = try codecs.metadata(of: file)
                return nil
            },
            problem {
                try codecs.decode(file, options: DecodeOptions(targetSize: PixelSize(8, 8), limits: limits))
            },
            problem {
                let options = DecodeOptions(frame: 1, keepsSixteenBits: true, limits: limits)
                return try codecs.decode(file, options: options)
            },
        ]
        return problems.compactMap { $0 }.first
    }

    /// Returns the time that this thread has computed, in seconds.
    private func clock() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// A file of some kind, at most some thousand bytes long.
enum ChangedNumberSample: String, CaseIterable, Sendable {
    case png, palettePNG, widePNG, animatedPNG, baselineJPEG, progressiveJPEG, gif, animatedGIF
    case lossyWebP, losslessWebP, animatedWebP, avif, animatedAVIF, bmp, icon, qoi
    case heic, richHEIC
    case tiff
    case jpegXL, animatedJPEGXL
    case drawing
    case movie, matroska

    var data: Data {
        get throws {
            let metadata = ImageMetadata(
                exif: EXIFBlock(orientation: 6).data,
                xmp: Data("<x:xmpmeta xmlns:x='adobe:ns:meta/'/>".utf8),
                iccProfile: nil
            )
            let options = EncodeOptions(metadata: metadata)
            let codecs = ImageCodecs.all
            let (photo, translucent) = (try TestImages.photo(24, 20), try TestImages.translucent(24, 20))
            let few = try TestImages.bitmap(24, 20) { x, y in (x / 6 * 60, y / 5 * 60, 0, x < 12 ? 255 : 0) }
            func still(_ bitmap: Bitmap, _ format: ImageFormat, _ options: EncodeOptions) throws -> Data {
                try codecs.encode(bitmap, as: format, options: options)
            }
            func animation(_ format: ImageFormat) throws -> Data {
                let frames = [few, try few.oriented(.down), few].map { AnimationFrame(bitmap: $0, duration: 70) }
                return try codecs.encode(frames, as: format, loopCount: 2)
            }
            switch self {
            case .png: return try still(translucent, .png, options)
            case .palettePNG: return try still(few, .png, options)
            case .widePNG: return try still(translucent.converted(to: .sixteen), .png, options)
            case .animatedPNG: return try animation(.png)
            case .baselineJPEG: return try still(photo, .jpeg, options)
            case .progressiveJPEG:
                return JPEGBytes(width: 40, height: 24, samples: [148, 90, 200], process: 0xc2, detailScanCount: 3).data
            case .gif: return try still(few, .gif, options)
            case .animatedGIF: return try animation(.gif)
            case .lossyWebP: return try still(translucent, .webp, options)
            case .losslessWebP: return try still(translucent, .webp, EncodeOptions(quality: nil))
            case .animatedWebP: return try animation(.webp)
            case .avif: return try still(translucent, .avif, options)
            case .animatedAVIF: return try animation(.avif)
            case .bmp: return try still(translucent, .bmp, options)
            case .icon: return ICOBytes.file([ICOBytes.bitmap(16, [10, 20, 30, 255]), ICOBytes.bitmap(8, [9, 8, 7])])
            case .qoi: return try still(translucent, .qoi, options)
            case .heic: return HEICBytes.plain
            case .richHEIC: return HEICBytes.rich
            case .tiff: return try still(translucent, .tiff, options)
            case .jpegXL: return try still(translucent, .jxl, options)
            case .animatedJPEGXL: return try animation(.jxl)
            case .drawing: return Data(Self.drawingText.utf8)
            case .movie: return VideoFixture.data("keys.mp4")
            case .matroska: return VideoFixture.data("keys.mkv")
            }
        }
    }

    private static let drawingText = """
        <svg xmlns="http://www.w3.org/2000/svg" width="20" height="10" viewBox="0 0 40 20"><defs>
        <linearGradient id="a"><stop offset="0" stop-color="red"/></linearGradient></defs>
        <g transform="rotate(10)"><rect width="30" height="10" fill="url(#a)"/><path d="M1 1h9v9z" opacity="0.5"/></g>
        <use href="#b" x="3"/><circle id="b" r="4"/></svg>
        """
}
