import FoundationEssentials

/// Writes small JPEG files of one colour by hand, so that every field can be set, and set wrongly.
struct JPEGBytes {
    var width = 16
    var height = 16
    /// The sample value of each component, as stored.
    var samples: [Int] = [148]
    /// The low byte of the SOF marker.
    var process: UInt8 = 0xc0
    var precision: UInt8 = 8
    /// Segments between SOI and the tables, whole.
    var segments = Data()
    /// The number of times that the scan of AC coefficients is written, in a progressive file.
    var detailScanCount = 1

    var isProgressive: Bool { process == 0xc2 }

    var data: Data {
        header + firstScan + (isProgressive ? detailScans : Data()) + [0xff, 0xd9]
    }

    /// All up to the first scan.
    var header: Data {
        Data([0xff, 0xd8]) + segments + quantization + huffmanTables + frame
    }

    var frame: Data {
        var payload = Data([precision]) + [UInt8(height >> 8), UInt8(height & 0xff), UInt8(width >> 8)]
        payload += [UInt8(width & 0xff), UInt8(samples.count)]
        for index in samples.indices { payload += [UInt8(index + 1), 0x11, 0] }
        return Self.segment(process, payload)
    }

    static func segment(_ marker: UInt8, _ payload: Data) -> Data {
        let length = payload.count + 2
        return Data([0xff, marker, UInt8(length >> 8), UInt8(length & 0xff)]) + payload
    }

    static func exif(orientation: UInt16) -> Data {
        segment(0xe1, Data("Exif\0\0".utf8) + EXIFBlock(orientation: orientation).data)
    }

    static func adobe(transform: UInt8) -> Data {
        segment(0xee, Data("Adobe".utf8) + [0, 100, 0, 0, 0, 0, transform])
    }

    static func profileChunk(_ number: UInt8, of count: UInt8, _ bytes: Data) -> Data {
        segment(0xe2, Data("ICC_PROFILE\0".utf8) + [number, count] + bytes)
    }

    /// All coefficients are stored as they are.
    private var quantization: Data { Self.segment(0xdb, Data([0]) + Data(repeating: 1, count: 64)) }

    /// Four bits for each of the twelve categories of DC differences; one bit, 0, for the end of a block's AC.
    private var huffmanTables: Data {
        let direct = Data([0x00, 0, 0, 0, 12] + Array(repeating: 0, count: 12)) + (0..<12).map { UInt8($0) }
        let alternating = Data([0x10, 1] + Array(repeating: 0, count: 15)) + [0]
        return Self.segment(0xc4, direct) + Self.segment(0xc4, alternating)
    }

    private var blockCount: Int { ((width + 7) / 8) * ((height + 7) / 8) }

    var firstScan: Data {
        var bits = JPEGBitWriter()
        for block in 0..<blockCount {
            for sample in samples {
                bits.writeDifference(block == 0 ? (sample - 128) * 8 : 0)
                if !isProgressive {
                    bits.write(0, count: 1)
                }
            }
        }
        var payload = Data([UInt8(samples.count)])
        for index in samples.indices { payload += [UInt8(index + 1), 0] }
        return Self.segment(0xda, payload + (isProgressive ? [0, 0, 0] : [0, 63, 0])) + bits.finish()
    }

    /// One scan for each component, without any coefficient.
    var detailScans: Data {
        var scans = Data()
        for index in samples.indices {
            var bits = JPEGBitWriter()
            for _ in 0..<blockCount { bits.write(0, count: 1) }
            let scan = Self.segment(0xda, Data([1, UInt8(index + 1), 0, 1, 63, 0])) + bits.finish()
            for _ in 0..<detailScanCount { scans += scan }
        }
        return scans
    }
}

struct JPEGBitWriter {
    private var bytes: [UInt8] = []
    private var accumulator: UInt8 = 0
    private var bitCount = 0

    mutating func write(_ value: Int, count: Int) {
        for shift in (0..<count).reversed() {
            accumulator = accumulator << 1 | UInt8(value >> shift & 1)
            bitCount += 1
            if bitCount == 8 {
                bytes += accumulator == 0xff ? [0xff, 0] : [accumulator]
                bitCount = 0
            }
        }
    }

    /// T.81 F.1.2.1: the category, then the value's bits, negative ones less 1.
    mutating func writeDifference(_ value: Int) {
        var category = 0
        while abs(value) >> category > 0 { category += 1 }
        write(category, count: 4)
        write(value < 0 ? value + (1 << category) - 1 : value, count: category)
    }

    consuming func finish() -> Data {
        while bitCount != 0 { write(1, count: 1) }
        return Data(bytes)
    }
}
