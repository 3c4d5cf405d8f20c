import FoundationEssentials
import HalcyonRaster
import Testing

@testable import HalcyonCodecs

@Suite("Baseline JPEG at 1/8, 2/8 and 4/8 without libjpeg")
struct JPEGReducerTests {
    private let sizes = [PixelSize(1, 1), PixelSize(17, 9), PixelSize(64, 48), PixelSize(97, 61)]

    /// Compares our own decoder, which must take the file, with libjpeg.
    private func greatestDifference(_ file: Data, eighths: Int) throws -> Int? {
        let own = try #require(try JPEGReduction.own(file, eighths: eighths), "left to libjpeg")
        return own.greatestDifference(from: try JPEGReduction.libjpeg(file, eighths: eighths))
    }

    @Test(
        "at 1/8 every coefficient but the mean is passed over, whatever there is of them",
        arguments: [[(1, 1)], [(1, 1), (1, 1), (1, 1)], [(2, 1), (1, 1), (1, 1)]],
        [false, true]
    )
    func means(_ sampling: [(Int, Int)], hasLongCodes: Bool) throws {
        for (index, size) in sizes.enumerated() {
            var file = RandomJPEG(width: size.width, height: size.height, sampling: sampling)
            file.hasLongCodes = hasLongCodes
            file.seed = UInt64(index)
            #expect(try greatestDifference(file.data, eighths: 1) == 0, "\(size)")
        }
    }

    @Test(
        "the samples are libjpeg's where no detail is visible at reduced size",
        arguments: [
            [(1, 1)], [(2, 2)], [(1, 1), (1, 1), (1, 1)], [(2, 1), (1, 1), (1, 1)], [(2, 2), (1, 1), (1, 1)],
            [(2, 1), (2, 1), (1, 1)], [(1, 2), (1, 2), (1, 2)], [(2, 1), (2, 1), (2, 1)], [(4, 1), (1, 1), (1, 1)],
        ],
        [1, 2, 4]
    )
    func samples(_ sampling: [(Int, Int)], eighths: Int) throws {
        // Of 4:2:0 at 4/8 the colours are there at full size, with all details.
        let tolerance = eighths == 4 && sampling.count == 3 && sampling[0] == (2, 2) ? 2 : 0
        for size in sizes {
            for restartInterval in [0, 1, 7] {
                var file = RandomJPEG(width: size.width, height: size.height, sampling: sampling)
                file.coefficients = .invisible
                file.restartInterval = restartInterval
                let difference = try #require(try greatestDifference(file.data, eighths: eighths))
                #expect(difference <= tolerance, "\(size), \(restartInterval)")
            }
        }
    }

    @Test("colours of half the resolution from top to bottom are libjpeg's at 1/8, where it repeats rows")
    func halfHeight() throws {
        for size in sizes {
            var file = RandomJPEG(width: size.width, height: size.height, sampling: [(1, 2), (1, 1), (1, 1)])
            file.coefficients = .invisible
            #expect(try greatestDifference(file.data, eighths: 1) == 0, "\(size)")
            // Elsewhere libjpeg mixes neighbouring rows of colour, which have no detail here; light is the same.
            for eighths in [2, 4] {
                let own = try #require(try JPEGReduction.own(file.data, eighths: eighths))
                #expect(own.size == (try JPEGReduction.libjpeg(file.data, eighths: eighths)).size)
            }
        }
    }

    @Test("colours of half the resolution have every coefficient at 4/8, as libjpeg's have", arguments: [false, true])
    func colorsAtFullSize(hasLongCodes: Bool) throws {
        for (index, size) in sizes.enumerated() {
            var file = RandomJPEG(width: size.width, height: size.height, sampling: [(2, 2), (1, 1), (1, 1)])
            file.coefficients = .denseColors
            file.hasLongCodes = hasLongCodes
            file.seed = UInt64(index)
            let difference = try #require(try greatestDifference(file.data, eighths: 4))
            #expect(difference <= 2, "\(size)")
        }
    }

    @Test("an image without much detail is libjpeg's within a few levels", arguments: [1, 2, 4], [80, 95])
    func images(_ eighths: Int, quality: Int) throws {
        let bitmap = try Bitmap.sample(PixelSize(407, 301))
        let file = try JPEGEncoder().encode(bitmap, options: EncodeOptions(quality: quality))
        let difference = try #require(try greatestDifference(file, eighths: eighths))
        #expect(difference <= 8)
    }

    @Test("data longer than the window of the decoder, with restart markers anywhere", arguments: [0, 3, 100])
    func longData(_ restartInterval: Int) throws {
        var file = RandomJPEG(width: 320, height: 240, sampling: [(1, 1), (1, 1), (1, 1)])
        file.restartInterval = restartInterval
        let data = file.data
        #expect(data.count > 60_000)
        #expect(try greatestDifference(data, eighths: 1) == 0)
    }

    @Test("what is unusual is left to libjpeg, which decodes it")
    func leftToLibjpeg() throws {
        let usual = JPEGBytes(width: 64, height: 64, samples: [100, 120, 140])
        #expect(try JPEGReduction.own(usual.data, eighths: 1) != nil)
        var rgb = usual
        rgb.segments = JPEGBytes.adobe(transform: 0)
        var progressive = usual
        progressive.process = 0xc2
        let halved = RandomJPEG(width: 64, height: 64, sampling: [(1, 1), (1, 2), (1, 1)]).data
        let quartered = RandomJPEG(width: 64, height: 64, sampling: [(4, 2), (1, 1), (1, 1)]).data
        for file in [rgb.data, progressive.data, halved, quartered] {
            #expect(try JPEGReduction.own(file, eighths: 1) == nil)
            #expect(try JPEGReduction.decode(file, eighths: 1).size == PixelSize(8, 8))
        }
    }

    @Test("after the reduction to the final size, it is as near to the full image as 50 dB say", arguments: [2, 4])
    func quality(eighths: Int) throws {
        let (stored, target) = (PixelSize(480, 360), PixelSize(24 * eighths, 18 * eighths))
        let file = try JPEGEncoder().encode(TestImages.photo(480, 360), options: EncodeOptions(quality: 85))
        let full = try JPEGDecoder().decode(file, options: DecodeOptions(), isCancelled: { false }).bitmap
        #expect(full.size == stored)
        let own = try #require(try JPEGReduction.own(file, eighths: eighths)).resampled(to: target)
        #expect(ExactLanczos.noiseRatio(of: own, to: full) >= 50)
    }

    @Test(
        "sides that are no multiple of 8 are neither stretched nor moved, whichever way the image is stored",
        arguments: [
            (PixelSize(401, 301), PixelSize(50, 38)), (PixelSize(401, 301), PixelSize(25, 19)),
            (PixelSize(287, 215), PixelSize(36, 27)), (PixelSize(65, 57), PixelSize(4, 3)),
        ],
        Orientation.allCases
    )
    func partialEdges(_ sizes: (stored: PixelSize, target: PixelSize), _ orientation: Orientation) throws {
        let plain = try JPEGEncoder().encode(
            TestImages.photo(sizes.stored.width, sizes.stored.height),
            options: EncodeOptions(quality: 95)
        )
        let file = plain.prefix(2) + JPEGBytes.exif(orientation: UInt16(orientation.rawValue)) + plain.dropFirst(2)
        let target = orientation.displaySize(of: sizes.target)
        func decoded(_ options: DecodeOptions) throws -> Bitmap {
            try JPEGDecoder().decode(file, options: options, isCancelled: { false }).bitmap
        }
        let full = try decoded(DecodeOptions())
        let reduced = try decoded(DecodeOptions(targetSize: target))
        #expect(reduced.width <= full.width / 2 + 1)
        #expect(ExactLanczos.noiseRatio(of: try reduced.resampled(to: target), to: full) >= 40)
    }

    @Test("cancelling ends decoding at the next group of rows")
    func cancellation() throws {
        let file = RandomJPEG(width: 16, height: 2_000, sampling: [(1, 1)]).data
        let questions = QuestionCounter(cancelledFrom: 3)
        let options = DecodeOptions(targetSize: PixelSize(1, 1))
        #expect(throws: CancellationError.self) {
            try JPEGDecoder().decode(file, options: options, isCancelled: { questions.ask() })
        }
        #expect(questions.count == 3)
    }
}
