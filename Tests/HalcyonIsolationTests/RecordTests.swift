import FoundationEssentials
import HalcyonCodecs
import HalcyonRaster
import Testing

@testable import HalcyonIsolation

@Suite("What a program and its workers say to each other")
struct RecordTests {
    private static let calls: [DecodeCall.Operation] = {
        var options = DecodeOptions(
            targetSize: PixelSize(3, 4),
            frame: 2,
            color: .asStored,
            keepsSixteenBits: true,
            appliesOrientation: false,
            usesEmbeddedThumbnail: true,
            limits: DecodeLimits(pixelCount: 1, sideLength: 2, frameCount: 3, memory: .max),
            typeHint: .svg,
            largestByteCount: 5,
            largestSideLength: 6,
            videoFrame: VideoFrame(at: .seconds(1.5), tolerance: .exact),
            damage: .isRefused
        )
        options.premultiplies = false
        options.readsAnimation = true
        return [
            .info(.standard), .metadata, .image(options), .wholeImage(DecodeOptions()),
            .open(options, animation: 7), .frame(3, options, animation: 9), .begin(options, image: 1),
            .advance(image: 2, isEnd: true), .partialImage(image: 3), .thumbnail(options),
        ]
    }()

    private static let errors: [CodecError] = [
        .empty, .unknownFormat(detected: nil), .unknownFormat(detected: "HTML"),
        .unsupported(.jpeg, reason: "é"), .truncated(.jpeg), .corrupt(.jpeg, reason: ""),
        .limitExceeded(.jpeg, .pixelCount(PixelSize(1, 2), maximum: 3)),
        .limitExceeded(.jpeg, .sideLength(PixelSize(1, 2), maximum: 3)),
        .limitExceeded(.jpeg, .frameCount(1, maximum: 3)), .limitExceeded(.jpeg, .memory(1, maximum: 3)),
        .noSuchFrame(-1, frameCount: 2), .bitmap(.invalidSize(PixelSize(0, -1))),
        .bitmap(.outOfMemory(byteCount: 7)), .bitmap(.tooFewBytes(expected: 1, actual: 2)),
    ]

    private static func description() -> BitmapDescription {
        var info = ImageInfo(
            format: .avif,
            size: PixelSize(5, 6),
            orientation: .left,
            frameCount: 3,
            frameDurations: [1, 0, 70_000],
            loopCount: 0,
            bitDepth: 12,
            hasAlpha: true,
            colorSpace: .icc(description: "P3")
        )
        info.isFrameCountExact = false
        info.file.hasEnd = false
        info.file.isLossless = true
        return BitmapDescription(
            isOpaque: true,
            isPartial: true,
            colorProfile: .icc(Data([1, 2, 3])),
            info: info,
            fullSize: PixelSize(10, 12)
        )
    }

    @Test("calls arrive as they were sent")
    func call() throws {
        for operation in Self.calls {
            let record = DecodeCall(JPEGDecoder(), operation).record
            let call = try DecodeCall(record: record)
            #expect(call.type == "HalcyonCodecs.JPEGDecoder" && call.format == .jpeg)
            #expect("\(call.operation)" == "\(operation)")
        }
    }

    @Test("errors arrive as they were sent")
    func error() throws {
        for error in Self.errors { #expect(try CodecError(record: error.record, of: .jpeg) == error) }
        // One character may have thousands of bytes.
        for piece in ["a", "e\u{301}", "a" + String(repeating: "\u{301}", count: 9_000)] {
            let long = CodecError.corrupt(.png, reason: String(repeating: piece, count: 3_000))
            #expect(long.record.count < 4_096)
            guard case .corrupt(.png, _) = try CodecError(record: long.record, of: .png) else {
                Issue.record("\(piece.count)")
                continue
            }
        }
    }

    @Test("errors have the format of the request, and none is of the program or of another worker")
    func errorOfRequest() throws {
        let corrupt = CodecError.corrupt(.gif, reason: "a")
        #expect(try CodecError(record: corrupt.record, of: .webp) == .corrupt(.webp, reason: "a"))
        for error in [CodecError.unregistered(.heic), .cannotEncode(.heic, reason: "a")] {
            guard case .unsupported(.webp, _) = try CodecError(record: error.record, of: .webp) else {
                Issue.record("\(error)")
                continue
            }
        }
        let lost = CodecError.isolation(.noDecoder(type: "A.B"))
        let reason = "the part of the image that was read is gone"
        #expect(try CodecError(record: lost.record, of: .webp) == .isolation(.cannotShare(reason: reason)))
        var writer = RecordWriter()
        writer.write(4)
        writer.write(String(repeating: "a", count: 1_001))
        #expect(throws: NonsensicalAnswer.self) { try CodecError(record: writer.bytes, of: .webp) }
    }

    @Test("descriptions arrive as they were sent")
    func imageDescription() throws {
        for profile in [nil, ColorProfile.icc(Data([9])), .codePoints(primaries: 9, transfer: 16)] {
            var description = Self.description()
            description.colorProfile = profile
            var writer = RecordWriter()
            description.write(to: &writer)
            var reader = RecordReader(writer.bytes)
            let read = try BitmapDescription(from: &reader, of: .avif, limits: .standard)
            try reader.end()
            #expect(read.info == description.info && read.colorProfile == profile)
            #expect(read.info?.file.hasEnd == false && read.info?.file.isLossless == true)
            #expect(read.isOpaque && read.isPartial && read.fullSize == PixelSize(10, 12))
        }
    }

    @Test("metadata arrives as it was sent")
    func metadata() throws {
        for metadata in [ImageMetadata(), ImageMetadata(exif: Data([1]), xmp: Data(), iccProfile: Data([2, 3]))] {
            var writer = RecordWriter()
            metadata.write(to: &writer)
            var reader = RecordReader(writer.bytes)
            #expect(try ImageMetadata(from: &reader) == metadata)
        }
    }

    @Test("bytes that are no record are an error, wherever they are cut or changed")
    func nonsense() {
        var writer = RecordWriter()
        Self.description().write(to: &writer)
        let records =
            [writer.bytes] + Self.errors.map(\.record) + Self.calls.map { DecodeCall(JPEGDecoder(), $0).record }
        /// Reads the bytes as everything, which may give a value or an error, and nothing else.
        func readAll(_ bytes: [UInt8]) {
            var reader = RecordReader(bytes)
            _ = try? BitmapDescription(from: &reader, of: .avif, limits: .standard)
            reader = RecordReader(bytes)
            _ = try? ImageInfo(from: &reader, of: .avif, limits: .standard)
            reader = RecordReader(bytes)
            _ = try? ImageMetadata(from: &reader)
            _ = try? CodecError(record: bytes, of: .avif)
            _ = try? DecodeCall(record: bytes)
        }
        var numbers = Numbers(seed: 7)
        for record in records {
            for end in record.indices {
                readAll(Array(record[..<end]))
                #expect(throws: NonsensicalAnswer.self) { try DecodeCall(record: Array(record[..<end])) }
            }
            for offset in record.indices {
                for value: UInt8 in [0, 1, 0x7F, 0x80, 0xFF] {
                    var changed = record
                    changed[offset] = value
                    readAll(changed)
                }
            }
            for _ in 0..<200 {
                var changed = record
                for _ in 0..<4 { changed[Int(numbers.next(UInt64(record.count)))] = UInt8(numbers.next(256)) }
                readAll(changed)
            }
        }
    }

    @Test("an animation of frames without number is none, nor one with durations for frames that it does not have")
    func frameCounts() throws {
        var info = ImageInfo(format: .gif, size: PixelSize(1, 1), frameCount: 1, frameDurations: [1, 2])
        var writer = RecordWriter()
        info.write(to: &writer)
        #expect(throws: NonsensicalAnswer.self) {
            var reader = RecordReader(writer.bytes)
            _ = try ImageInfo(from: &reader, of: .avif, limits: .standard)
        }
        info = ImageInfo(format: .gif, size: PixelSize(1, 1), frameCount: 65_537, frameDurations: [1])
        writer = RecordWriter()
        info.write(to: &writer)
        #expect(throws: NonsensicalAnswer.self) {
            var reader = RecordReader(writer.bytes)
            _ = try ImageInfo(from: &reader, of: .avif, limits: .standard)
        }
        info.frameCount = 1
        info.frameDurations = [1 << 40]
        writer = RecordWriter()
        info.write(to: &writer)
        #expect(throws: NonsensicalAnswer.self) {
            var reader = RecordReader(writer.bytes)
            _ = try ImageInfo(from: &reader, of: .avif, limits: .standard)
        }
    }

    @Test("a text of many bytes is bounded before memory is taken")
    func counts() {
        var writer = RecordWriter()
        writer.write(Int.max)
        #expect(throws: NonsensicalAnswer.self) {
            var reader = RecordReader(writer.bytes)
            _ = try reader.data(atMost: .max)
        }
    }
}
