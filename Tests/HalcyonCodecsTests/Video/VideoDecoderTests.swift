import FoundationEssentials
import HalcyonRaster
import Testing

@testable import HalcyonCodecs
@testable import HalcyonVideo

@Suite("Frames of videos")
struct VideoDecoderTests {
    private func image(
        _ data: Data,
        _ time: VideoFrame.Time = .representative,
        _ tolerance: VideoFrame.Tolerance = .nearestKeyFrame
    ) throws -> DecodedImage {
        let frame = VideoFrame(at: time, tolerance: tolerance)
        return try ImageCodecs.all.decode(data, options: DecodeOptions(videoFrame: frame))
    }

    @Test("each container is known by its first bytes, and tells size and codec", arguments: VideoFixture.keys)
    func containers(name: String) throws {
        let data = VideoFixture.data(name)
        let format = try #require(name.split(separator: ".").last.map { ImageFormat(rawValue: String($0)) })
        #expect(ImageFormat.detect(data.prefix(4_096)) == format && format.isVideo)
        let info = try ImageCodecs.all.info(of: data)
        #expect(info.format == format && info.size == PixelSize(32, 16) && info.frameCount == 1 && !info.hasAlpha)
        let video = try VideoDecoder(format).videoInfo(of: data)
        #expect(video.displaySize == info.size && !video.hasCover && video.codec?.isEmpty == false)
        // An Ogg that is cut off in the middle of a group does not end with its last frame.
        #expect(abs((video.duration ?? 0) - 3) < 0.3)
    }

    @Test("a frame is found exactly at each time, whatever the container", arguments: VideoFixture.keys)
    func exact(name: String) throws {
        let data = VideoFixture.data(name)
        for number in 0..<12 {
            let time = Double(number) / 4 + 0.1
            #expect(try VideoFixture.number(of: image(data, .seconds(time), .exact)) == number, "\(time)")
        }
        #expect(try VideoFixture.number(of: image(data, .seconds(.infinity), .exact)) == 11)
        #expect(try VideoFixture.number(of: image(data, .seconds(-1), .exact)) == 0)
        #expect(try VideoFixture.number(of: image(data, .seconds(.nan), .exact)) == 0)
        #expect(try VideoFixture.number(of: image(data, .first, .exact)) == 0)
    }

    @Test(
        "a key frame stands for the frames around it",
        arguments: ["keys.mp4", "keys.mkv", "keys.webm", "keys.avi", "keys.ts"]
    )
    func keyFrames(name: String) throws {
        let data = VideoFixture.data(name)
        // Key frames are those of 0, 1 and 2 seconds: frames 0, 4 and 8.
        let expected: [(Double, VideoFrame.Tolerance, Int)] = [
            (0.3, .nearestKeyFrame, 0), (0.7, .nearestKeyFrame, 4), (1.4, .nearestKeyFrame, 4),
            (1.6, .nearestKeyFrame, 8), (2.9, .nearestKeyFrame, 8), (0.7, .previousKeyFrame, 0),
            (1, .previousKeyFrame, 4), (1.9, .previousKeyFrame, 4), (0, .nextKeyFrame, 0), (0.3, .nextKeyFrame, 4),
            (1, .nextKeyFrame, 4), (1.1, .nextKeyFrame, 8), (2.9, .nextKeyFrame, 8),
        ]
        for (time, tolerance, number) in expected {
            let found = try VideoFixture.number(of: image(data, .seconds(time), tolerance))
            #expect(found == number, "\(tolerance) at \(time)")
        }
    }

    @Test("frames are cut where the file says, and not where their rows are aligned")
    func cropping() throws {
        let bitmap = try image(VideoFixture.data("cropped.mp4")).bitmap
        #expect(bitmap.size == PixelSize(24, 14))
        for x in stride(from: 0, to: 24, by: 3) {
            // The luma of the column, 8 further to the right in the frame as it is coded.
            let expected = (40 + 10 * ((x + 8) / 2) - 16) * 255 / 219
            #expect(abs(bitmap.pixel(x, 7).green - expected) <= 6, "\(x)")
        }
    }

    @Test("a fraction is one of the duration")
    func fractions() throws {
        let data = VideoFixture.data("keys.mp4")
        for (fraction, number) in [(0.0, 0), (0.5, 6), (0.8, 9), (1.0, 11), (7.0, 11), (-1.0, 0)] {
            #expect(try VideoFixture.number(of: image(data, .fraction(fraction), .exact)) == number, "\(fraction)")
        }
        #expect(try VideoFixture.number(of: image(data, .fraction(0.45))) == 4)
    }

    @Test("the first key frame that is not black represents a video without a cover")
    func representative() throws {
        #expect(try image(VideoFixture.data("dark.mp4")).bitmap.pixel(8, 8).red > 200)
        #expect(try image(VideoFixture.data("dark.mp4"), .first).bitmap.pixel(8, 8).red < 4)
        #expect(try VideoFixture.number(of: image(VideoFixture.data("keys.mp4"))) == 0)
    }

    @Test("a cover represents its file, with moving images or without", arguments: ["cover.mp4", "covered.mp4"])
    func cover(name: String) throws {
        let data = VideoFixture.data(name)
        let decoded = try image(data)
        #expect(decoded.bitmap.pixel(4, 4).red > 240 && decoded.bitmap.pixel(4, 4).green < 10)
        #expect(try VideoDecoder(.mp4).videoInfo(of: data).hasCover)
        if name == "covered.mp4" {
            #expect(try image(data, .first).size == PixelSize(32, 16))
            // No more memory than a frame takes.
            #expect(decoded.bitmap.byteCount <= PixelSize(32, 16).bitmapByteCount)
        } else {
            #expect(decoded.size == PixelSize(24, 24) && decoded.info.format == .png)
            #expect(try image(data, .seconds(1)).size == PixelSize(24, 24))
            #expect(try ImageCodecs.all.info(of: data).size == PixelSize(24, 24))
        }
    }

    @Test("sound without a cover is no image")
    func sound() {
        let error = CodecError.unsupported(.mp4, reason: "it has neither moving images nor a cover")
        #expect(throws: error) { try image(VideoFixture.data("sound.mp4")) }
        #expect(throws: error) { try ImageCodecs.all.info(of: VideoFixture.data("sound.mp4")) }
    }

    /// Red above left, green above right, blue below left, white below right.
    private func quarters(_ image: DecodedImage) -> String {
        let (width, height) = (image.size.width, image.size.height)
        let places = [(1, 1), (width - 2, 1), (1, height - 2), (width - 2, height - 2)]
        return String(
            places.map { x, y -> Character in
                let pixel = image.bitmap.pixel(x, y)
                switch (pixel.red > 128, pixel.green > 128, pixel.blue > 128) {
                case (true, false, false): return "r"
                case (false, true, false): return "g"
                case (false, false, true): return "b"
                case (true, true, true): return "w"
                default: return "?"
                }
            }
        )
    }

    @Test("a frame is turned as its track says")
    func orientation() throws {
        let data = VideoFixture.data("quarters.mp4")
        let cases: [((Int32, Int32, Int32, Int32), Orientation, String)] = [
            ((1, 0, 0, 1), .up, "rgbw"), ((-1, 0, 0, 1), .upMirrored, "grwb"), ((-1, 0, 0, -1), .down, "wbgr"),
            ((1, 0, 0, -1), .downMirrored, "bwrg"), ((0, 1, 1, 0), .leftMirrored, "rbgw"),
            ((0, 1, -1, 0), .right, "brwg"), ((0, -1, -1, 0), .rightMirrored, "wgbr"), ((0, -1, 1, 0), .left, "gwrb"),
            ((1, 1, -1, 1), .up, "rgbw"),
        ]
        for (matrix, orientation, colors) in cases {
            let turned = try image(VideoFixture.turned(data, matrix), .first)
            #expect(turned.info.orientation == orientation && quarters(turned) == colors, "\(matrix)")
            let stored = DecodeOptions(appliesOrientation: false)
            let image = try ImageCodecs.all.decode(VideoFixture.turned(data, matrix), options: stored)
            #expect(image.size == PixelSize(32, 16) && quarters(image) == "rgbw" && image.fullSize == image.size)
        }
    }

    @Test("pixels that are not square are made square, before the frame is turned")
    func aspect() throws {
        let data = VideoFixture.data("wide.mp4")
        let wide = try image(data)
        #expect(wide.size == PixelSize(64, 16) && wide.info.size == wide.size && quarters(wide) == "rgbw")
        let turned = try image(VideoFixture.turned(data, (0, 1, -1, 0)))
        #expect(turned.size == PixelSize(16, 64) && quarters(turned) == "brwg")
    }

    @Test("a frame is made no smaller than twice the target, and stands for its whole size")
    func target() throws {
        let data = VideoFixture.data("quarters.mp4")
        for (target, expected) in [
            (PixelSize(4, 2), PixelSize(8, 4)), (PixelSize(4, 4), PixelSize(16, 8)),
            (PixelSize(20, 2), PixelSize(32, 16)),
        ] {
            let reduced = try ImageCodecs.all.decode(data, options: DecodeOptions(targetSize: target))
            #expect(reduced.size == expected && reduced.fullSize == PixelSize(32, 16) && quarters(reduced) == "rgbw")
        }
        let turned = VideoFixture.turned(data, (0, 1, -1, 0))
        let reduced = try ImageCodecs.all.decode(turned, options: DecodeOptions(targetSize: PixelSize(2, 4)))
        #expect(reduced.size == PixelSize(4, 8) && reduced.fullSize == PixelSize(16, 32))
    }

    @Test(
        "matrix and range are those that the frame states",
        arguments: [
            ("bt709-tv", (178, 112, 62)), ("smpte170m-tv", (172, 106, 65)), ("bt2020nc-tv", (175, 107, 61)),
            ("bt709-pc", (170, 110, 68)),
        ] as [(String, (Int, Int, Int))]
    )
    func matrix(name: String, expected: (Int, Int, Int)) throws {
        // Y'CbCr of 120, 100, 160, by the formulas of ITU-R BT.709, BT.601 and BT.2020.
        let pixel = try image(VideoFixture.data("matrix-\(name).mp4")).bitmap.pixel(8, 8)
        #expect(abs(pixel.red - expected.0) <= 2 && abs(pixel.green - expected.1) <= 2)
        #expect(abs(pixel.blue - expected.2) <= 2, "\(pixel)")
    }

    @Test("10 bits become 16 on request, and high dynamic range is told")
    func deep() throws {
        let data = VideoFixture.data("deep.webm")
        let info = try ImageCodecs.all.info(of: data)
        #expect(info.bitDepth == 10 && info.colorSpace == .codePoints(primaries: 9, transfer: 16))
        let options = DecodeOptions(color: .asStored, keepsSixteenBits: true)
        let image = try ImageCodecs.all.decode(data, options: options)
        #expect(image.bitmap.depth == .sixteen && image.colorProfile == .codePoints(primaries: 9, transfer: 16))
        // The luma 514 of 64 to 940.
        let grey = Double(514 - 64) / 876 * 65_535
        #expect(abs(Double(image.bitmap.pixel(8, 8).green) - grey) < 200)
        let narrow = try ImageCodecs.all.decode(data, options: DecodeOptions())
        #expect(narrow.bitmap.depth == .eight && narrow.colorProfile == nil)
    }

    @Test(
        "alpha that WebM has beside the colours is that of each frame, with key frames and without",
        arguments: ["alpha-libvpx.webm", "alpha-libvpx-vp9.webm"]
    )
    func separateAlpha(name: String) throws {
        let data = VideoFixture.data(name)
        #expect(try ImageCodecs.all.info(of: data).hasAlpha)
        for number in [0, 3, 1, 2] {
            let image = try image(data, .seconds(Double(number) / 4), .exact)
            #expect(image.info.hasAlpha && !image.bitmap.isOpaque)
            let (left, right) = (image.bitmap.pixel(4, 8), image.bitmap.pixel(28, 8))
            #expect(abs(left.alpha - 40 * number) <= 2 && right.alpha >= 253, "frame \(number)")
            #expect(abs(right.red - 235) <= 4 && abs(left.red - 235 * left.alpha / 255) <= 4, "frame \(number)")
        }
        let small = try ImageCodecs.all.decode(data, options: DecodeOptions(targetSize: PixelSize(8, 4))).bitmap
        #expect(small.pixel(0, 2).alpha <= 2 && small.pixel(small.width - 1, 2).alpha >= 250)
        for length in stride(from: 300, to: data.count, by: 7) {
            _ = try? image(data.prefix(length), .seconds(0.75), .exact)
        }
    }

    @Test("alpha is right behind a key frame that only the colours have")
    func alphaWithoutKeyFrame() throws {
        let data = VideoFixture.data("alpha-cut.webm")
        for number in [5, 3, 7, 1] {
            let image = try image(data, .seconds(Double(number) / 4), .exact)
            #expect(abs(image.bitmap.pixel(4, 8).alpha - 30 * number) <= 3, "frame \(number)")
            #expect(image.bitmap.pixel(28, 8).alpha >= 252)
        }
        #expect(abs(try image(data, .seconds(0.75)).bitmap.pixel(4, 8).alpha - 90) <= 3)
    }

    @Test("a video that is clear at first is shown by a frame that is not")
    func clearBeginning() throws {
        let data = VideoFixture.data("clear.webm")
        #expect(try ImageCodecs.all.decode(data).bitmap.pixel(8, 8).alpha >= 252)
        #expect(try image(data, .first).bitmap.pixel(8, 8).alpha <= 3)
    }

    @Test("videos of standard dynamic range are shown as sRGB")
    func standardRange() throws {
        #expect(try image(VideoFixture.data("matrix-bt709-tv.mp4")).colorProfile == nil)
        #expect(try ImageCodecs.all.info(of: VideoFixture.data("matrix-smpte170m-tv.mp4")).colorSpace == .sRGB)
    }

    @Test("times that are no number are equal, and hash alike")
    func times() {
        #expect(VideoFrame.Time.seconds(.nan) == .seconds(.nan) && VideoFrame.Time.seconds(0) != .fraction(0))
        #expect(Set([VideoFrame.Time.seconds(.nan), .seconds(-.nan), .seconds(0), .seconds(-0.0)]).count == 2)
        #expect(VideoFrame(at: .first) != VideoFrame() && VideoFrame(tolerance: .exact) != VideoFrame())
    }
}
