internal import HalcyonCodecs
internal import HalcyonRaster

extension CodecError {
    private static let longestReason = 1_000

    /// The bytes of the error, without the end of a reason that is too long.
    var record: [UInt8] {
        var writer = RecordWriter()
        func write(_ number: Int, _ format: ImageFormat? = nil, _ reason: String? = nil) {
            writer.write(number)
            if let format { writer.write(format.rawValue.utf8.prefix(Self.longestReason)) }
            // Bytes, of which a character may have thousands.
            if let reason { writer.write(reason.utf8.prefix(Self.longestReason)) }
        }
        switch self {
        case .empty: write(0)
        case .unknownFormat(let detected): write(1, nil, detected ?? "")
        case .unregistered(let format): write(2, format)
        case .unsupported(let format, let reason): write(3, format, reason)
        case .truncated(let format): write(4, format)
        case .corrupt(let format, let reason): write(5, format, reason)
        case .limitExceeded(let format, let limit):
            write(6, format)
            limit.write(to: &writer)
        case .noSuchFrame(let frame, let count):
            write(7)
            writer.write(frame)
            writer.write(count)
        case .bitmap(let error):
            write(8)
            error.write(to: &writer)
        // A decoder throws none of these.
        case .cannotEncode(let format, let reason): write(3, format, reason)
        case .tooManyBytes(let format, _, _): write(3, format, "\(self)")
        case .isolation(let error): write(9, nil, "\(error)")
        }
        return writer.bytes
    }

    init(record: [UInt8]) throws(NonsensicalAnswer) {
        var reader = RecordReader(record)
        func format(_ reader: inout RecordReader) throws(NonsensicalAnswer) -> ImageFormat {
            ImageFormat(rawValue: try reader.string())
        }
        switch try reader.int(in: 0...9) {
        case 0: self = .empty
        case 1:
            let detected = try reader.string()
            self = .unknownFormat(detected: detected.isEmpty ? nil : detected)
        case 2: self = .unregistered(try format(&reader))
        case 3: self = .unsupported(try format(&reader), reason: try reader.string())
        case 4: self = .truncated(try format(&reader))
        case 5: self = .corrupt(try format(&reader), reason: try reader.string())
        case 6: self = .limitExceeded(try format(&reader), try Limit(from: &reader))
        case 7:
            self = .noSuchFrame(
                try reader.int(in: .min ... .max),
                frameCount: try reader.int(in: .min ... .max)
            )
        case 8: self = .bitmap(try BitmapError(from: &reader))
        default: self = .isolation(.cannotShare(reason: try reader.string()))
        }
        try reader.end()
    }
}

extension CodecError.Limit {
    fileprivate func write(to writer: inout RecordWriter) {
        switch self {
        case .pixelCount(let size, let maximum):
            writer.write(0)
            writer.write(size)
            writer.write(maximum)
        case .sideLength(let size, let maximum):
            writer.write(1)
            writer.write(size)
            writer.write(maximum)
        case .frameCount(let count, let maximum):
            writer.write(2)
            writer.write(count)
            writer.write(maximum)
        case .memory(let byteCount, let maximum):
            writer.write(3)
            writer.write(byteCount)
            writer.write(maximum)
        }
    }

    fileprivate init(from reader: inout RecordReader) throws(NonsensicalAnswer) {
        let any = Int.min...Int.max
        switch try reader.int(in: 0...3) {
        case 0: self = .pixelCount(try reader.size(in: any), maximum: try reader.int(in: any))
        case 1: self = .sideLength(try reader.size(in: any), maximum: try reader.int(in: any))
        case 2: self = .frameCount(try reader.int(in: any), maximum: try reader.int(in: any))
        default: self = .memory(try reader.int(in: any), maximum: try reader.int(in: any))
        }
    }
}

extension BitmapError {
    fileprivate func write(to writer: inout RecordWriter) {
        switch self {
        case .invalidSize(let size):
            writer.write(0)
            writer.write(size)
        case .outOfMemory(let byteCount):
            writer.write(1)
            writer.write(byteCount)
        case .tooFewBytes(let expected, let actual):
            writer.write(2)
            writer.write(expected)
            writer.write(actual)
        }
    }

    fileprivate init(from reader: inout RecordReader) throws(NonsensicalAnswer) {
        let any = Int.min...Int.max
        switch try reader.int(in: 0...2) {
        case 0: self = .invalidSize(try reader.size(in: any))
        case 1: self = .outOfMemory(byteCount: try reader.int(in: any))
        default: self = .tooFewBytes(expected: try reader.int(in: any), actual: try reader.int(in: any))
        }
    }
}
