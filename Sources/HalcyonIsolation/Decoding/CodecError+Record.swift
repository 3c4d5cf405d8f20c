internal import HalcyonCodecs
internal import HalcyonRaster

extension CodecError {
    private static let longestReason = 1_000

    /// The bytes of the error, without the end of a reason that is too long, and without the format, which the program knows.
    var record: [UInt8] {
        var writer = RecordWriter()
        func write(_ number: Int, _ reason: String? = nil) {
            writer.write(number)
            // Bytes, of which a character may have thousands.
            if let reason { writer.write(reason.utf8.prefix(Self.longestReason)) }
        }
        switch self {
        case .empty: write(0)
        case .unknownFormat(let detected): write(1, detected ?? "")
        case .unsupported(_, let reason): write(2, reason)
        case .truncated: write(3)
        case .corrupt(_, let reason): write(4, reason)
        case .limitExceeded(_, let limit):
            write(5)
            limit.write(to: &writer)
        case .noSuchFrame(let frame, let count):
            write(6)
            writer.write(frame)
            writer.write(count)
        case .bitmap(let error):
            write(7)
            error.write(to: &writer)
        // The part of an image that a worker had begun to read is gone.
        case .isolation: write(8)
        // A decoder throws none of these.
        case .cannotEncode, .tooManyBytes, .unregistered: write(2, "\(self)")
        }
        return writer.bytes
    }

    /// Reads an error that a worker chose, with the format of what it was asked for.
    init(record: [UInt8], of format: ImageFormat) throws(NonsensicalAnswer) {
        var reader = RecordReader(record)
        func reason(_ reader: inout RecordReader) throws(NonsensicalAnswer) -> String {
            try reader.string(atMost: Self.longestReason)
        }
        switch try reader.int(in: 0...8) {
        case 0: self = .empty
        case 1:
            let detected = try reason(&reader)
            self = .unknownFormat(detected: detected.isEmpty ? nil : detected)
        case 2: self = .unsupported(format, reason: try reason(&reader))
        case 3: self = .truncated(format)
        case 4: self = .corrupt(format, reason: try reason(&reader))
        case 5: self = .limitExceeded(format, try Limit(from: &reader))
        case 6:
            self = .noSuchFrame(
                try reader.int(in: .min ... .max),
                frameCount: try reader.int(in: .min ... .max)
            )
        case 7: self = .bitmap(try BitmapError(from: &reader))
        default: self = .isolation(.cannotShare(reason: "the part of the image that was read is gone"))
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
