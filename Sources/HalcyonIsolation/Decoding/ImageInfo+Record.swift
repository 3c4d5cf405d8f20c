internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonRaster

extension ImageInfo {
    /// A side that no format can state more than.
    private static let largestSide = 1 << 40
    /// Milliseconds; GIF states hundredths of a second in 16 bits, others up to 32 bits of milliseconds.
    private static let longestDuration = 1 << 32
    private static let largestLoopCount = 1 << 32
    /// The most images of a file that is no animation, such as pages.
    private static let largestImageCount = 65_536

    func write(to writer: inout RecordWriter) {
        writer.write(size)
        writer.write(orientation.rawValue)
        writer.write(frameCount)
        writer.write(isFrameCountExact)
        writer.write(frameDurations.count)
        for duration in frameDurations { writer.write(duration) }
        writer.write(loopCount)
        writer.write(bitDepth)
        writer.write(hasAlpha)
        colorSpace.write(to: &writer)
        writer.write(file.hasEnd) { $0.write($1) }
        writer.write(file.isLossless) { $0.write($1) }
    }

    /// - Parameters:
    ///   - format: That of the decoder, which names files and media types: no worker is asked for it.
    ///   - limits: Those that the header was read with.
    init(from reader: inout RecordReader, of format: ImageFormat, limits: DecodeLimits) throws(NonsensicalAnswer) {
        self.init(format: format, size: try reader.size(in: 0...Self.largestSide))
        guard let orientation = Orientation(rawValue: try reader.int(in: 1...8)) else {
            throw NonsensicalAnswer("an unknown orientation")
        }
        self.orientation = orientation
        frameCount = try reader.int(in: 0...max(limits.frameCount, Self.largestImageCount))
        isFrameCountExact = try reader.bool()
        let durationCount = try reader.int(in: 0...min(frameCount, reader.remainingCount / 8))
        var durations: [Int] = []
        for _ in 0..<durationCount { durations.append(try reader.int(in: 0...Self.longestDuration)) }
        frameDurations = durations
        loopCount = try reader.optionalInt(in: 0...Self.largestLoopCount)
        bitDepth = try reader.int(in: 0...64)
        hasAlpha = try reader.bool()
        colorSpace = try ColorSpace(from: &reader)
        file.hasEnd = try reader.optional { reader throws(NonsensicalAnswer) in try reader.bool() }
        file.isLossless = try reader.optional { reader throws(NonsensicalAnswer) in try reader.bool() }
    }
}

extension ColorSpace {
    fileprivate func write(to writer: inout RecordWriter) {
        switch self {
        case .sRGB: writer.write(0)
        case .gray: writer.write(1)
        case .cmyk: writer.write(2)
        case .codePoints(let primaries, let transfer):
            writer.write(3)
            writer.write(primaries)
            writer.write(transfer)
        case .icc(let description):
            writer.write(4)
            writer.write(description)
        }
    }

    fileprivate init(from reader: inout RecordReader) throws(NonsensicalAnswer) {
        switch try reader.int(in: 0...4) {
        case 0: self = .sRGB
        case 1: self = .gray
        case 2: self = .cmyk
        case 3:
            self = .codePoints(
                primaries: try reader.int(in: 0...65_535),
                transfer: try reader.int(in: 0...65_535)
            )
        default: self = .icc(description: try reader.string())
        }
    }
}

extension ColorProfile {
    func write(to writer: inout RecordWriter) {
        switch self {
        case .icc(let profile):
            writer.write(true)
            writer.write(profile)
        case .codePoints(let primaries, let transfer):
            writer.write(false)
            writer.write(primaries)
            writer.write(transfer)
        }
    }

    init(from reader: inout RecordReader) throws(NonsensicalAnswer) {
        if try reader.bool() {
            self = .icc(Data(try reader.data(atMost: ICCProfile.maximumByteCount)))
        } else {
            self = .codePoints(
                primaries: try reader.int(in: 0...65_535),
                transfer: try reader.int(in: 0...65_535)
            )
        }
    }
}

extension ImageMetadata {
    func write(to writer: inout RecordWriter) {
        for part in [exif, xmp, iccProfile] { writer.write(part) { $0.write($1) } }
    }

    init(from reader: inout RecordReader) throws(NonsensicalAnswer) {
        func part(_ reader: inout RecordReader) throws(NonsensicalAnswer) -> Data? {
            try reader.optional { reader throws(NonsensicalAnswer) in Data(try reader.data(atMost: .max)) }
        }
        self.init(exif: try part(&reader), xmp: try part(&reader), iccProfile: try part(&reader))
    }
}
