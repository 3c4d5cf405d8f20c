internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonRaster

/// Images of one colour, which identifies the image and the frame.
enum LabelledImage {
    /// A frame of an image, in the form of its colour: 13 bits of the serial number, two of the frame, nine that check
    /// them.
    struct Label: Hashable, Sendable {
        var serial: Int
        var frame: Int

        private var number: Int { serial << 2 | frame }

        private static func check(_ number: Int) -> Int { (number &* 0x9E37_79B1) >> 16 & 0x1FF }

        var color: [UInt8] {
            let value = number << 9 | Self.check(number)
            return [value >> 16, value >> 8, value].map { UInt8(truncatingIfNeeded: $0) }
        }

        init(serial: Int, frame: Int) {
            self.serial = serial & 0x1FFF
            self.frame = frame & 3
        }

        /// Reads a colour; `nil` if it identifies no frame.
        init?(color: [UInt8]) {
            let value = color.prefix(3).reduce(0) { $0 << 8 | Int($1) }
            let number = value >> 9
            guard Self.check(number) == value & 0x1FF else { return nil }
            self.init(serial: number >> 2, frame: number & 3)
        }
    }

    /// The size that processors resize to.
    static let reducedSize = PixelSize(6, 5)

    /// Returns the size of an original.
    static func size(isLarge: Bool) -> PixelSize {
        isLarge ? PixelSize(96, 64) : PixelSize(12, 10)
    }

    /// Returns the encoded bytes of an image: BMP, which takes 18 kB for a large one, or PNG with several frames.
    static func encoded(serial: Int, isLarge: Bool, isAnimated: Bool) throws -> Data {
        let size = size(isLarge: isLarge)
        let frames = try (0..<frameCount(serial: serial)).map { try bitmap(Label(serial: serial, frame: $0), size) }
        guard isAnimated else { return try ImageCodecs.standard.encode(frames[0], as: .bmp) }
        return try PNGEncoder().encode(
            frames.map { AnimationFrame(bitmap: $0, duration: 50) },
            loopCount: 0,
            options: EncodeOptions()
        )
    }

    /// Returns the number of frames of an animated image, which differs from one image to the next.
    static func frameCount(serial: Int) -> Int { 2 + serial % 3 }

    private static func bitmap(_ label: Label, _ size: PixelSize) throws -> Bitmap {
        var bitmap = try Bitmap(size: size, isOpaque: true)
        let row = bitmap.bytesPerRow
        bitmap.withUnsafeMutableBytes { bytes in
            for y in 0..<size.height {
                for x in 0..<size.width { bytes.setPixel(label.color, at: y * row + x * 4) }
            }
        }
        return bitmap
    }

    /// Returns an encoded image as a text in Base64.
    static func text(serial: Int, _ resource: Program.Resource) -> String {
        let data = try? encoded(serial: serial, isLarge: resource.isLarge, isAnimated: resource.isAnimated)
        return data?.base64EncodedString() ?? ""
    }

    /// Returns the number of an image; `nil` if its colour names none.
    static func serial(of image: DecodedImage) -> Int? {
        Label(color: image.bitmap.pixel(0, 0))?.serial
    }

    /// Returns the outcome that an answer shows.
    static func outcome(of image: DecodedImage) -> AnswerModel.Outcome {
        let bitmap = image.bitmap
        let color = bitmap.pixel(0, 0)
        guard let label = Label(color: color) else { return .unreadable("the colour \(color) names no image") }
        // Each mark is a column at the right edge.
        var size = bitmap.size
        var marks: [UInt8] = []
        while size.width > 1 {
            let last = bitmap.pixel(size.width - 1, size.height - 1)
            if last == color { break }
            guard last == MarkProcessor.color(last[0]) else { return .unreadable("a mark of \(last)") }
            marks.insert(last[0], at: 0)
            size = PixelSize(size.width - 1, size.height)
        }
        for (x, y) in [(size.width - 1, 0), (0, size.height - 1), (size.width / 2, size.height / 2)]
        where bitmap.pixel(x, y) != color {
            return .unreadable("not all of it shows image \(label.serial): \(bitmap.pixel(x, y)) at (\(x), \(y))")
        }
        return .image(serial: label.serial, Appearance(frame: label.frame, size: size, marks: marks))
    }

    /// Returns what is wrong with the animation of an image; `nil` if its frames are those of the same image, with the
    /// same appearance, and all that there are.
    static func problem(with animation: ImageAnimation, serial: Int, _ appearance: Appearance) -> String? {
        guard case .image(serial, _) = outcome(of: animation.data) else { return "a file of another image" }
        let frames: [DecodedImage]
        do {
            // Processors that are held would keep this thread.
            frames = try ProcessorHolds.$areIgnored.withValue(true) { try animation.decoder().frames() }
        } catch CodecError.isolation {
            // The process that decodes them was ended.
            return nil
        } catch {
            return "frames that cannot be read"
        }
        guard frames.count == frameCount(serial: serial) else { return "\(frames.count) frames" }
        for (index, frame) in frames.enumerated() {
            var expected = appearance
            expected.frame = index
            guard case .image(let number, let shown?) = outcome(of: frame), number == serial, shown == expected else {
                return "frame \(index) as \(outcome(of: frame))"
            }
        }
        return nil
    }

    /// Returns the image that encoded bytes are.
    static func outcome(of data: Data) -> AnswerModel.Outcome {
        guard let image = try? ImageCodecs.standard.decode(data, options: DecodeOptions(), isCancelled: { false }),
            let label = Label(color: image.bitmap.pixel(0, 0))
        else { return .unreadable("\(data.count) bytes are no image") }
        return .image(serial: label.serial, nil)
    }
}

extension UnsafeMutableRawBufferPointer {
    /// Writes red, green, blue and full alpha.
    func setPixel(_ color: [UInt8], at offset: Int) {
        for (index, sample) in color.prefix(3).enumerated() { self[offset + index] = sample }
        self[offset + 3] = 255
    }
}

extension Bitmap {
    fileprivate func pixel(_ x: Int, _ y: Int) -> [UInt8] {
        withUnsafeBytes { bytes in
            let offset = y * bytesPerRow + x * 4
            return Array(bytes[offset..<offset + 4])
        }
    }
}
