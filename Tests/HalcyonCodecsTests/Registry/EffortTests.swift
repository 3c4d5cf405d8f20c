import FoundationEssentials
import HalcyonRaster
import HalcyonTesting
import Testing

@testable import HalcyonCodecs

@Suite("The effort of an encoder")
struct EffortTests {
    private let photo: Bitmap

    init() throws {
        photo = try TestImages.photo(160, 120)
    }

    @Test("1 to 9 stand for the fastest to the slowest of an encoder, and nil for its default")
    func scale() {
        func values(_ fastest: Int, _ slowest: Int) -> [Int] {
            [nil, -3, 1, 2, 5, 8, 9, 90].map {
                EncodeOptions(effort: $0).effort(from: fastest, to: slowest, default: 100)
            }
        }
        #expect(values(1, 9) == [100, 1, 1, 2, 5, 8, 9, 9])
        #expect(values(9, 1) == [100, 9, 9, 8, 5, 2, 1, 1])
        #expect(values(1, 12) == [100, 1, 1, 2, 7, 11, 12, 12])
        #expect(values(0, 6) == [100, 0, 0, 1, 3, 5, 6, 6])
    }

    @Test("more of it makes smaller files of the same pixels", arguments: [ImageFormat.png, .webp] + Self.traitFormats)
    func sizes(_ format: ImageFormat) throws {
        let files = try [1, 9].map {
            try ImageCodecs.all.encode(photo, as: format, options: EncodeOptions(quality: nil, effort: $0))
        }
        #expect(files[1].count < files[0].count)
        for file in files {
            #expect(try ImageCodecs.all.decode(file).bitmap.greatestDifference(from: photo) == 0)
        }
    }

    @Test("and the other choices of an encoder are those options that change its bytes")
    func choices() throws {
        let photo = try TestImages.photo(64, 48)
        let pairs: [(EncodeChoices, EncodeOptions, EncodeOptions)] = [
            (.quality, EncodeOptions(quality: 30), EncodeOptions(quality: 80)),
            (.effort, EncodeOptions(effort: 1), EncodeOptions(effort: 4)),
            (.progressiveOrder, EncodeOptions(), EncodeOptions(isProgressive: true)),
        ]
        for encoder in ImageCodecs.all.encoders {
            for (choice, one, other) in pairs {
                let isSame = try encoder.encode(photo, options: one) == encoder.encode(photo, options: other)
                #expect(isSame == !encoder.choices.contains(choice), "\(encoder.format) \(choice)")
            }
        }
    }

    @Test(
        "and a quality leave a mark: a header says whether samples were stored without loss",
        arguments: [ImageFormat.webp, .avif, .jxl]
    )
    func lossless(format: ImageFormat) throws {
        let photo = try TestImages.photo(64, 48)
        for quality in [nil, 100] {
            let file = try ImageCodecs.all.encode(
                photo,
                as: format,
                options: EncodeOptions(quality: quality, effort: 1)
            )
            let info = try ImageCodecs.all.info(of: file)
            #expect(info.file.isLossless == (quality == nil))
            #expect(try ImageCodecs.all.decode(file).info.file.isLossless == (quality == nil))
        }
    }

    private static var traitFormats: [ImageFormat] {
        var formats: [ImageFormat] = []
        formats.append(.jxl)
        formats.append(.tiff)
        return formats
    }

    @Test("near-lossless WebP changes values a little, by more at a lower quality, and not at 100")
    func nearLossless() throws {
        func encode(_ quality: Int?) throws -> (byteCount: Int, difference: Int) {
            let options = EncodeOptions(quality: quality, isNearLossless: true)
            let data = try WebPEncoder().encode(photo, options: options)
            let bitmap = try ImageCodecs.all.decode(data).bitmap
            return (data.count, try #require(bitmap.greatestDifference(from: photo)))
        }
        let (low, high, none) = (try encode(10), try encode(70), try encode(100))
        #expect(none.difference == 0 && (1...4).contains(high.difference) && low.difference > high.difference)
        #expect(high.byteCount < none.byteCount && low.byteCount < none.byteCount)
        #expect(try encode(nil).difference == 0)
    }
}

@Suite("The scale of qualities")
struct QualityScaleTests {
    @Test("values change evenly between measured ones, in one direction", arguments: [0, 1, 2])
    func values(_ index: Int) {
        let scale = [QualityScale.quantizer, .webP, .distance][index]
        let values = (1...100).map { scale.value(of: $0) }
        for point in scale.points { #expect(abs(values[point.quality - 1] - point.value) < 1e-9) }
        let steps = zip(values, values.dropFirst()).map { $1 - $0 }
        #expect(steps.allSatisfy { $0 > 0 } || steps.allSatisfy { $0 < 0 })
    }
}
