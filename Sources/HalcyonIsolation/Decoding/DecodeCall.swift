internal import HalcyonCodecs
internal import HalcyonRaster

/// The work that the program asks a worker for, with the decoder that does it.
struct DecodeCall {
    /// The name of the decoder's type, which is the same in both processes.
    var type: String
    /// One of the formats that decoders of this type may have.
    var format: ImageFormat
    var operation: Operation

    enum Operation {
        case info(DecodeLimits)
        case metadata
        /// What the decoder does.
        case image(DecodeOptions)
        /// What ``ImageCodecs/decode(_:options:isCancelled:)`` does.
        case wholeImage(DecodeOptions)
        /// Opens an animation, to which a number is given.
        case open(DecodeOptions, animation: Int)
        /// A frame of an animation, which is opened where it is not open.
        case frame(Int, DecodeOptions, animation: Int)
        /// Begins to read an image whose bytes arrive; the input are those so far.
        case begin(DecodeOptions, image: Int)
        /// Goes on reading it; the input are the bytes behind, and perhaps the last.
        case advance(image: Int, isEnd: Bool)
        /// The image as far as it was read.
        case partialImage(image: Int)
        /// The smaller image that a beginning of a file embeds.
        case thumbnail(DecodeOptions)

        /// The number of the animation, or of the image that arrives; `nil` for work that stands alone.
        var number: Int? {
            switch self {
            case .open(_, let number), .frame(_, _, let number), .begin(_, let number), .advance(let number, _),
                .partialImage(let number):
                number
            case .info, .metadata, .image, .wholeImage, .thumbnail: nil
            }
        }
    }

    init(_ decoder: any ImageDecoder, _ operation: Operation) {
        type = Self.name(ofTypeOf: decoder)
        format = decoder.format
        self.operation = operation
    }

    /// The name by which both processes know a decoder: those of a type may have several formats.
    static func name(of decoder: any ImageDecoder) -> String {
        "\(name(ofTypeOf: decoder)) \(decoder.format.rawValue)"
    }

    /// The name by which both processes know a type.
    static func name(ofTypeOf decoder: any ImageDecoder) -> String {
        _typeName(Swift.type(of: decoder as Any), qualified: true)
    }

    var record: [UInt8] {
        var writer = RecordWriter()
        writer.write(type)
        writer.write(format.rawValue)
        switch operation {
        case .info(let limits):
            writer.write(0)
            limits.write(to: &writer)
        case .metadata: writer.write(1)
        case .image(let options):
            writer.write(2)
            options.write(to: &writer)
        case .wholeImage(let options):
            writer.write(3)
            options.write(to: &writer)
        case .open(let options, let animation):
            writer.write(4)
            options.write(to: &writer)
            writer.write(animation)
        case .frame(let index, let options, let animation):
            writer.write(5)
            options.write(to: &writer)
            writer.write(animation)
            writer.write(index)
        case .begin(let options, let image):
            writer.write(6)
            options.write(to: &writer)
            writer.write(image)
        case .advance(let image, let isEnd):
            writer.write(7)
            writer.write(image)
            writer.write(isEnd)
        case .partialImage(let image):
            writer.write(8)
            writer.write(image)
        case .thumbnail(let options):
            writer.write(9)
            options.write(to: &writer)
        }
        return writer.bytes
    }

    init(record: [UInt8]) throws(NonsensicalAnswer) {
        var reader = RecordReader(record)
        type = try reader.string()
        format = ImageFormat(rawValue: try reader.string())
        switch try reader.int(in: 0...9) {
        case 0: operation = .info(try DecodeLimits(from: &reader))
        case 1: operation = .metadata
        case 2: operation = .image(try DecodeOptions(from: &reader))
        case 3: operation = .wholeImage(try DecodeOptions(from: &reader))
        case 4: operation = .open(try DecodeOptions(from: &reader), animation: try reader.int(in: 0...(.max)))
        case 5:
            let options = try DecodeOptions(from: &reader)
            let animation = try reader.int(in: 0...(.max))
            operation = .frame(try reader.int(in: 0...(.max)), options, animation: animation)
        case 6: operation = .begin(try DecodeOptions(from: &reader), image: try reader.int(in: 0...(.max)))
        case 7: operation = .advance(image: try reader.int(in: 0...(.max)), isEnd: try reader.bool())
        case 8: operation = .partialImage(image: try reader.int(in: 0...(.max)))
        default: operation = .thumbnail(try DecodeOptions(from: &reader))
        }
        try reader.end()
    }
}

/// What a worker says of the pixels that it has written.
struct BitmapDescription {
    var isOpaque: Bool
    var isPartial: Bool
    var colorProfile: ColorProfile?
    /// The size that the image stands for, and what its file says; `nil` for a frame that says nothing of its own.
    var info: ImageInfo?
    var fullSize: PixelSize
    var partialEdges = PartialEdges.none

    func write(to writer: inout RecordWriter) {
        writer.write(isOpaque)
        writer.write(isPartial)
        writer.write(colorProfile) { $1.write(to: &$0) }
        writer.write(info) { $1.write(to: &$0) }
        writer.write(fullSize)
        for axis in [partialEdges.horizontal, partialEdges.vertical] {
            writer.write(Int(axis.leading))
            writer.write(Int(axis.trailing))
        }
    }
}

extension BitmapDescription {
    /// - Parameters:
    ///   - format: That of the decoder.
    ///   - limits: Those that the image was decoded with.
    init(from reader: inout RecordReader, of format: ImageFormat, limits: DecodeLimits) throws(NonsensicalAnswer) {
        isOpaque = try reader.bool()
        isPartial = try reader.bool()
        colorProfile = try reader.optional { reader throws(NonsensicalAnswer) in try ColorProfile(from: &reader) }
        info = try reader.optional { reader throws(NonsensicalAnswer) in
            try ImageInfo(from: &reader, of: format, limits: limits)
        }
        fullSize = try reader.size(in: 1...1 << 40)
        func axis(_ reader: inout RecordReader) throws(NonsensicalAnswer) -> PartialEdges.Axis {
            let leading = UInt8(try reader.int(in: 0...7))
            return PartialEdges.Axis(leading: leading, trailing: UInt8(try reader.int(in: 0...7)))
        }
        partialEdges.horizontal = try axis(&reader)
        partialEdges.vertical = try axis(&reader)
    }
}

/// What a worker says of an image whose bytes arrive.
struct ArrivingImageState {
    var progress = IncrementalProgress()
    var matchesWholeDecoding = false
    var hasMore = true

    func write(to writer: inout RecordWriter) {
        writer.write(progress.passCount)
        writer.write(progress.coverage)
        writer.write(progress.isComplete)
        writer.write(matchesWholeDecoding)
        writer.write(hasMore)
    }
}

extension ArrivingImageState {
    init(from reader: inout RecordReader) throws(NonsensicalAnswer) {
        progress.passCount = try reader.int(in: 0...1 << 32)
        progress.coverage = try reader.double()
        guard (0...1).contains(progress.coverage) else { throw NonsensicalAnswer("\(progress.coverage) of an image") }
        progress.isComplete = try reader.bool()
        matchesWholeDecoding = try reader.bool()
        hasMore = try reader.bool()
    }
}
