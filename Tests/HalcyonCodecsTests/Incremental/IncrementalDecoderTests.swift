import FoundationEssentials
import HalcyonRaster
import Testing

@testable import HalcyonCodecs

@Suite("Decoding while bytes arrive")
struct IncrementalDecoderTests {
    /// Feeds bytes in pieces, and calls `look` after each with the decoder.
    private func feed(
        _ data: Data,
        to decoder: IncrementalDecoder,
        by count: Int,
        look: (IncrementalDecoder) throws -> Void = { _ in }
    ) throws {
        for start in stride(from: 0, to: data.count, by: count) {
            try decoder.append(data[start..<min(start + count, data.count)])
            while try decoder.advance() { try look(decoder) }
            try look(decoder)
        }
        decoder.end()
        while try decoder.advance() {}
    }

    @Test("makes the image of the whole file", arguments: IncrementalSample.allCases, [1, 7, 1_000_000])
    func equalsWhole(sample: IncrementalSample, count: Int) throws {
        for keepsSixteenBits in [false, true] {
            let (data, options) = (try sample.data, DecodeOptions(keepsSixteenBits: keepsSixteenBits))
            let whole = try ImageCodecs.all.decode(data, options: options)
            let decoder = IncrementalDecoder(options: options)
            try feed(data, to: decoder, by: count)
            let image = try #require(try decoder.image())
            #expect(decoder.progress.isComplete && decoder.progress.coverage == 1)
            #expect(decoder.byteCount == data.count)
            #expect(image.size == whole.size && image.fullSize == whole.fullSize)
            #expect(image.info.orientation == whole.info.orientation)
            #expect(image.bitmap.isOpaque == whole.bitmap.isOpaque && image.bitmap.depth == whole.bitmap.depth)
            #expect(image.bitmap.rowBytes() == whole.bitmap.rowBytes())
        }
    }

    @Test("shows more and more of the image, and what is missing is transparent", arguments: IncrementalSample.allCases)
    func growth(sample: IncrementalSample) throws {
        let decoder = IncrementalDecoder()
        var last = decoder.progress
        try feed(try sample.data, to: decoder, by: 50) { decoder in
            let progress = decoder.progress
            #expect(progress.coverage >= last.coverage && progress.passCount >= last.passCount)
            last = progress
            let image = try decoder.image()
            #expect((image == nil) == (progress.coverage == 0))
            guard let bitmap = image?.bitmap else { return }
            #expect(!bitmap.isOpaque || !bitmap.containsTransparency())
        }
        // Some have nothing to show before their end.
        #expect(decoder.progress.isComplete)
    }

    @Test("ignores bytes that come after its end, wherever the decoder is", arguments: [true, false])
    func afterTheEnd(isProgressive: Bool) throws {
        let sample = isProgressive ? IncrementalSample.progressiveJPEG : .baselineJPEG
        let data = try sample.data.dropLast(2)
        let whole = try ImageCodecs.all.decode(data)
        let decoder = IncrementalDecoder()
        try decoder.append(data)
        decoder.end()
        var hasMore = true
        while hasMore {
            hasMore = try decoder.advance()
            try decoder.append(Data(repeating: 0, count: 100_000))
        }
        let image = try #require(try decoder.image())
        #expect(decoder.progress.isComplete && image.bitmap.rowBytes() == whole.bitmap.rowBytes())
    }

    @Test("turns an image once a PNG states so behind its pixels")
    func lateTurn() throws {
        let data = try IncrementalSample.turnedPNG.data
        let decoder = IncrementalDecoder()
        // All but the checksum of the orientation and the end.
        try decoder.append(data.dropLast(PNGBytes.end.count + 1))
        while try decoder.advance() {}
        #expect(decoder.progress == IncrementalProgress(coverage: 1))
        let upright = try #require(try decoder.image())
        #expect(upright.size == PixelSize(61, 37) && upright.info.orientation == .up)
        try decoder.append(data.suffix(PNGBytes.end.count + 1))
        while try decoder.advance() {}
        #expect(decoder.progress.isComplete)
        let turned = try #require(try decoder.image())
        #expect(turned.size == PixelSize(37, 61) && turned.info.orientation == .right)
        #expect(turned.bitmap.rowBytes() == (try upright.bitmap.oriented(.right)).rowBytes())
    }

    @Test("passes over a damaged orientation behind the pixels of a PNG")
    func damagedTurn() throws {
        var data = try IncrementalSample.turnedPNG.data
        data[data.count - PNGBytes.end.count - 1] ^= 1
        let decoder = IncrementalDecoder()
        try feed(data, to: decoder, by: 13)
        #expect(decoder.progress.isComplete)
        let image = try #require(try decoder.image())
        #expect(image.size == PixelSize(61, 37) && image.info.orientation == .up)
        #expect(image.bitmap.rowBytes() == (try ImageCodecs.all.decode(data)).bitmap.rowBytes())
    }

    @Test("shows no WebP that may be turned before its orientation is there, unless it is not to be turned")
    func withheldTurn() throws {
        let data = try IncrementalSample.turnedWebP.data
        for appliesOrientation in [true, false] {
            let decoder = IncrementalDecoder(options: DecodeOptions(appliesOrientation: appliesOrientation))
            try decoder.append(data.dropLast(1))
            while try decoder.advance() {}
            #expect(!decoder.progress.isComplete)
            #expect((try decoder.image() == nil) == appliesOrientation)
            try decoder.append(data.suffix(1))
            while try decoder.advance() {}
            let image = try #require(try decoder.image())
            #expect(decoder.progress.isComplete && image.info.orientation == .right)
            #expect(image.size == (appliesOrientation ? PixelSize(387, 641) : PixelSize(641, 387)))
        }
    }

    @Test("shows a progressive JPEG once for each scan")
    func scans() throws {
        let data = JPEGBytes(width: 40, height: 24, process: 0xc2, detailScanCount: 4).data
        var counts: [Int] = []
        let decoder = IncrementalDecoder()
        try feed(data, to: decoder, by: data.count) { counts.append($0.progress.passCount) }
        #expect(counts.filter { $0 > 0 } == [1, 2, 3, 4, 5])
    }

    @Test("fills blocks with the pixels of the first passes of an interlaced PNG")
    func blocks() throws {
        let data = IncrementalSample.interlaced(PixelSize(16, 16), depth: 8)
        let decoder = IncrementalDecoder()
        // The first pass has two rows of two pixels.
        try decoder.append(data.prefix(data.count / 2))
        while try decoder.advance(), decoder.progress.passCount == 0 {}
        #expect(decoder.progress == IncrementalProgress(passCount: 1, coverage: 1))
        let bitmap = try #require(try decoder.image()).bitmap
        for (x, y) in [(1, 0), (0, 1), (7, 7), (3, 5)] { #expect(bitmap[x, y] == bitmap[0, 0]) }
        #expect(bitmap[15, 15] == bitmap[8, 8])
    }

    @Test("decodes JPEG at reduced size, as a whole file is", arguments: [0xc0, 0xc2] as [UInt8])
    func reducedSize(process: UInt8) throws {
        let options = DecodeOptions(targetSize: PixelSize(10, 10))
        let decoder = IncrementalDecoder(options: options)
        try feed(JPEGBytes(width: 80, height: 80, process: process).data, to: decoder, by: 9)
        let image = try #require(try decoder.image())
        #expect(image.size == PixelSize(20, 20) && image.fullSize == PixelSize(80, 80))
    }

    @Test("keeps to the bound on the bitmap")
    func bound() throws {
        let decoder = IncrementalDecoder(options: DecodeOptions(largestSideLength: 16))
        try feed(try IncrementalSample.png.data, to: decoder, by: 40)
        let image = try #require(try decoder.image())
        #expect(max(image.size.width, image.size.height) == 16)
    }

    @Test("reads the thumbnail of a JPEG from its header, if it is asked for")
    func noThumbnail() throws {
        let decoder = IncrementalDecoder(readsThumbnail: true)
        try feed(try IncrementalSample.baselineJPEG.data, to: decoder, by: 64)
        #expect(decoder.embeddedThumbnail == nil && decoder.hasHeader)
    }
}

extension Bitmap {
    /// The pixels without padding, whatever their depth.
    func rowBytes() -> [UInt8] {
        withUnsafeBytes { pixels in
            (0..<height).flatMap { y in Array(pixels[y * bytesPerRow..<y * bytesPerRow + width * bytesPerPixel]) }
        }
    }
}
