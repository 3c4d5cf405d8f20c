import Testing

@testable import HalcyonRaster

@Suite("one pass over the pixels")
struct BitmapPassTests {
    private static let border = PixelBorder(width: 2.5, color: Color(red: 0.5, green: 0.2, blue: 0.1, alpha: 0.7))

    @Test(
        "gives the bytes that scaling, cropping and framing one after the other give",
        arguments: SampleDepth.allCases
    )
    func equalsSteps(depth: SampleDepth) throws {
        var random = SplitMix(seed: 9)
        for trial in 0..<60 {
            func number(in range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
            let bitmap = try Bitmap.noise(
                number(in: 1...60),
                number(in: 1...60),
                seed: UInt64(trial),
                isOpaque: trial % 2 == 0
            ).converted(to: depth)
            let scaled = PixelSize(number(in: 1...70), number(in: 1...70))
            let rect = PixelRect(
                x: number(in: 0...(scaled.width - 1)),
                y: number(in: 0...(scaled.height - 1)),
                width: number(in: 1...70),
                height: number(in: 1...70)
            )
            let radii = CornerRadii(Double(number(in: 0...40)) / 4)
            var pass = BitmapPass(over: bitmap.size)
            let fits = [pass.scale(to: scaled), pass.crop(to: rect)]
            #expect(fits == [true, true])
            pass.add(ImageFrame(radii: radii, background: trial % 3 == 0 ? .white : nil))
            pass.add(ImageFrame(radii: radii, cutsImage: false, border: Self.border))
            let joined = try bitmap.applying(pass)
            let steps = try bitmap.resampled(to: scaled).cropped(to: rect)
                .roundingCorners(radii, background: trial % 3 == 0 ? .white : nil)
                .bordered(Self.border, radii: radii)
            #expect(joined.samples == steps.samples, "\(bitmap.size), \(scaled), \(rect)")
            #expect(joined.isOpaque == steps.isOpaque)
        }
    }

    @Test("has no room for what changes the pixels that a frame has drawn")
    func room() {
        var pass = BitmapPass(over: PixelSize(20, 20))
        var answers = [pass.scale(to: PixelSize(10, 10)), pass.scale(to: PixelSize(5, 5))]
        #expect(answers == [true, false])
        answers = [
            pass.crop(to: PixelRect(x: 2, y: 2, width: 6, height: 6)),
            pass.crop(to: PixelRect(x: 1, y: 3, width: 9, height: 9)),
            pass.scale(to: PixelSize(4, 4)),
        ]
        #expect(answers == [true, true, false])
        #expect(pass.part == PixelRect(x: 3, y: 5, width: 5, height: 3))
        pass.add(ImageFrame(radii: CornerRadii(1)))
        answers = [
            pass.crop(to: PixelRect(x: 0, y: 0, width: 2, height: 2)),
            pass.crop(to: PixelRect(x: 0, y: 0, width: 5, height: 3)),
        ]
        #expect(answers == [false, true])
        #expect(pass.size == PixelSize(5, 3))
    }

    @Test("has room for cutting out after a change of colours, and for none of rows that take long")
    func colorRoom() {
        var pass = BitmapPass(over: PixelSize(65_536, 4))
        var answers = [
            pass.add(.tint(.white, mode: .screen)), pass.crop(to: PixelRect(x: 1, y: 1, width: 6, height: 2)),
        ]
        #expect(answers == [true, true])
        #expect(pass.part == PixelRect(x: 1, y: 1, width: 6, height: 2))
        answers = [pass.scale(to: PixelSize(3, 3))]
        #expect(answers == [false])
        pass = BitmapPass(over: PixelSize(65_537, 4))
        answers = [pass.add(.tint(.white, mode: .screen))]
        #expect(answers == [false] && pass.finishes.isEmpty)
    }

    @Test("that changes nothing gives the same bitmap")
    func identity() throws {
        let bitmap = try Bitmap.noise(8, 8, seed: 10, isOpaque: true)
        var pass = BitmapPass(over: bitmap.size)
        pass.add(ImageFrame(radii: CornerRadii()))
        let answers = [
            pass.add(.adjustment(.identity, .linear)), pass.add(.overlay(.black, fraction: 1)),
            pass.add(.background(.black, mode: .normal, opacity: 1)),
        ]
        #expect(answers == [true, true, true])
        #expect(try bitmap.applying(pass).buffer === bitmap.buffer)
    }

    @Test("asks before every row whether it is cancelled", arguments: [PixelSize(20, 20), PixelSize(9, 12)])
    func cancellation(scaled: PixelSize) throws {
        let bitmap = try Bitmap.noise(20, 20, seed: 11)
        var pass = BitmapPass(over: bitmap.size)
        _ = pass.scale(to: scaled)
        pass.add(ImageFrame(radii: CornerRadii(3)))
        var questions = 0
        _ = try bitmap.applying(pass) {
            questions += 1
            return false
        }
        #expect(questions == scaled.height)
        #expect(throws: CancellationError.self) { try bitmap.applying(pass) { true } }
    }
}
