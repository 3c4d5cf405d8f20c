internal import HalcyonCodecs
internal import HalcyonRaster

extension DecodeOptions {
    func write(to writer: inout RecordWriter) {
        writer.write(targetSize) { $0.write($1) }
        writer.write(frame)
        writer.write(color == .sRGB)
        writer.write(convertsOthersLater)
        writer.write(keepsSixteenBits)
        writer.write(appliesOrientation)
        writer.write(usesEmbeddedThumbnail)
        limits.write(to: &writer)
        writer.write(typeHint) { $0.write($1.rawValue) }
        writer.write(largestByteCount)
        writer.write(largestSideLength)
        videoFrame.write(to: &writer)
        writer.write(damage == .showsWhatIsThere)
        writer.write(premultiplies)
        writer.write(readsAnimation)
        writer.write(scaledFullSize) { $0.write($1) }
    }

    init(from reader: inout RecordReader) throws(NonsensicalAnswer) {
        self.init()
        targetSize = try reader.optional { reader throws(NonsensicalAnswer) in try reader.size(in: 0...(.max)) }
        frame = try reader.int(in: .min ... .max)
        color = try reader.bool() ? .sRGB : .asStored
        convertsOthersLater = try reader.bool()
        keepsSixteenBits = try reader.bool()
        appliesOrientation = try reader.bool()
        usesEmbeddedThumbnail = try reader.bool()
        limits = try DecodeLimits(from: &reader)
        typeHint = try reader.optional { reader throws(NonsensicalAnswer) in
            ImageFormat(rawValue: try reader.string())
        }
        largestByteCount = try reader.optionalInt(in: .min ... .max)
        largestSideLength = try reader.optionalInt(in: .min ... .max)
        videoFrame = try VideoFrame(from: &reader)
        damage = try reader.bool() ? .showsWhatIsThere : .isRefused
        premultiplies = try reader.bool()
        readsAnimation = try reader.bool()
        scaledFullSize = try reader.optional { reader throws(NonsensicalAnswer) in try reader.size(in: 0...(.max)) }
    }
}

extension DecodeLimits {
    func write(to writer: inout RecordWriter) {
        writer.write(pixelCount)
        writer.write(sideLength)
        writer.write(frameCount)
        writer.write(memory)
    }

    init(from reader: inout RecordReader) throws(NonsensicalAnswer) {
        self.init(
            pixelCount: try reader.int(in: .min ... .max),
            sideLength: try reader.int(in: .min ... .max),
            frameCount: try reader.int(in: .min ... .max),
            memory: try reader.int(in: .min ... .max)
        )
    }
}

extension VideoFrame {
    fileprivate func write(to writer: inout RecordWriter) {
        switch time {
        case .representative: writer.write(0)
        case .first: writer.write(1)
        case .seconds(let seconds):
            writer.write(2)
            writer.write(seconds)
        case .fraction(let fraction):
            writer.write(3)
            writer.write(fraction)
        }
        writer.write(tolerance.rawValue)
    }

    fileprivate init(from reader: inout RecordReader) throws(NonsensicalAnswer) {
        let time: Time
        switch try reader.int(in: 0...3) {
        case 0: time = .representative
        case 1: time = .first
        case 2: time = .seconds(try reader.double())
        default: time = .fraction(try reader.double())
        }
        guard let tolerance = Tolerance(rawValue: try reader.int(in: 0...Tolerance.allCases.count)) else {
            throw NonsensicalAnswer("an unknown tolerance")
        }
        self.init(at: time, tolerance: tolerance)
    }
}

extension RecordWriter {
    mutating func write(_ size: PixelSize) {
        write(size.width)
        write(size.height)
    }
}

extension RecordReader {
    mutating func size(in range: ClosedRange<Int>) throws(NonsensicalAnswer) -> PixelSize {
        PixelSize(try int(in: range), try int(in: range))
    }

    mutating func optionalInt(in range: ClosedRange<Int>) throws(NonsensicalAnswer) -> Int? {
        try optional { reader throws(NonsensicalAnswer) in try reader.int(in: range) }
    }
}
