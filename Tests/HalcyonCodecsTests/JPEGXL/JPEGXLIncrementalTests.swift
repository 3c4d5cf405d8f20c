import FoundationEssentials
import HalcyonRaster
import Testing

@testable import HalcyonCodecs
@testable import HalcyonJPEGXL

@Suite("JPEG XL decoding while bytes arrive")
struct JPEGXLIncrementalTests {
    /// Adds bytes in pieces, and returns the states between them.
    @discardableResult
    private func feed(_ data: Data, to decoder: IncrementalDecoder, by count: Int) throws -> [IncrementalProgress] {
        var states: [IncrementalProgress] = []
        for start in stride(from: 0, to: data.count, by: count) {
            try decoder.append(data[start..<min(start + count, data.count)])
            while try decoder.advance() { states.append(decoder.progress) }
            states.append(decoder.progress)
        }
        decoder.end()
        while try decoder.advance() {}
        return states
    }

    /// Lossy and lossless files, bare and in a container, of more than one group of pixels.
    private func files() throws -> [Data] {
        let photo = try TestImages.photo(300, 270)
        let translucent = try TestImages.translucent(270, 30)
        let metadata = ImageMetadata(xmp: Data("<x/>".utf8))
        return try [
            JPEGXLEncoder().encode(photo, options: EncodeOptions(quality: 80)),
            JPEGXLEncoder().encode(photo, options: EncodeOptions(quality: 80, metadata: metadata)),
            JPEGXLEncoder().encode(photo, options: EncodeOptions(quality: nil)),
            JPEGXLEncoder().encode(translucent, options: EncodeOptions(quality: nil)),
        ]
    }

    @Test("makes the image of the whole file", arguments: [97, 1_500, 10_000_000], [ColorHandling.sRGB, .asStored])
    func equalsWhole(count: Int, color: ColorHandling) throws {
        for data in try files() {
            let options = DecodeOptions(color: color)
            let whole = try ImageCodecs.all.decode(data, options: options)
            let decoder = IncrementalDecoder(codecs: .all, options: options)
            try feed(data, to: decoder, by: count)
            let image = try #require(try decoder.image())
            #expect(decoder.progress.isComplete && image.info == whole.info)
            #expect(image.bitmap.isOpaque == whole.bitmap.isOpaque && image.colorProfile == whole.colorProfile)
            #expect(image.bitmap.greatestDifference(from: whole.bitmap) == 0)
        }
    }

    @Test("stands for the size in which it is returned, upright or as stored", arguments: [true, false])
    func fullSize(appliesOrientation: Bool) throws {
        let photo = try TestImages.photo(30, 20)
        let data = try JPEGXLEncoder().encode(photo, options: EncodeOptions(orientation: .right))
        let options = DecodeOptions(appliesOrientation: appliesOrientation)
        let decoder = IncrementalDecoder(codecs: .all, options: options)
        try feed(data, to: decoder, by: 97)
        let image = try #require(try decoder.image())
        #expect(image.size == (appliesOrientation ? photo.size.transposed : photo.size))
        #expect(image.fullSize == image.size)
    }

    @Test("shows a lossy image coarsely before it is there")
    func coarse() throws {
        let photo = try TestImages.photo(600, 500)
        let data = try JPEGXLEncoder().encode(photo, options: EncodeOptions(quality: 90))
        let decoder = IncrementalDecoder(codecs: .all)
        var count = 0
        while decoder.progress.passCount == 0, count < data.count {
            try decoder.append(data[count..<min(count + 1_100, data.count)])
            count = min(count + 1_100, data.count)
            while try decoder.advance(), decoder.progress.passCount == 0 {}
        }
        #expect(decoder.progress == IncrementalProgress(passCount: 1, coverage: 1))
        #expect(count < data.count / 2)
        let image = try #require(try decoder.image())
        #expect(image.size == photo.size && image.bitmap.isOpaque)
        // The gradients are there; the noise and the fine pattern are not.
        for (x, y) in [(20, 20), (300, 250), (500, 400)] {
            #expect(abs(Int(image.bitmap[x, y][1]) - Int(photo[x, y][1])) < 32)
        }
        // The pixels that follow are drawn over it.
        try decoder.append(data[count...])
        decoder.end()
        while try decoder.advance() {}
        let whole = try ImageCodecs.all.decode(data).bitmap
        #expect(try #require(try decoder.image()).bitmap.greatestDifference(from: whole) == 0)
        #expect(image.bitmap.greatestDifference(from: whole) != 0)
    }

    @Test("a file that is cut short is truncated at its end, not before")
    func truncation() throws {
        for data in try files() {
            let decoder = IncrementalDecoder(codecs: .all)
            try decoder.append(data.dropLast(data.count / 3))
            while try decoder.advance() {}
            #expect(!decoder.progress.isComplete)
            decoder.end()
            #expect(throws: CodecError.truncated(.jxl)) { while try decoder.advance() {} }
        }
    }

    @Test("animations have to be there as a whole, and limits are checked first")
    func refused() throws {
        let photo = try TestImages.photo(30, 20)
        let frames = [photo, photo].map { AnimationFrame(bitmap: $0, duration: 70) }
        let animation = try JPEGXLEncoder().encode(frames, loopCount: 0, options: EncodeOptions(quality: nil))
        let unsupported = CodecError.unsupported(.jxl, reason: "an animation, while bytes arrive")
        #expect(throws: unsupported) { try feed(animation, to: IncrementalDecoder(codecs: .all), by: 1_000) }
        let still = try files()[0]
        for limits in [DecodeLimits(pixelCount: 2), DecodeLimits(sideLength: 2), DecodeLimits(memory: 3)] {
            let decoder = IncrementalDecoder(codecs: .all, options: DecodeOptions(limits: limits))
            do {
                try feed(still, to: decoder, by: 1_000)
                Issue.record("\(limits) do not hold")
            } catch let error as CodecError {
                if case .limitExceeded = error { continue }
                Issue.record("\(error)")
            }
        }
    }
}
