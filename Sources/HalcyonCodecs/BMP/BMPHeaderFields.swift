internal import FoundationEssentials

/// The fields of a bitmap's header as they stand there, whichever of the headers it is; absent ones are 0.
struct BMPHeaderFields {
    enum Compression {
        case none
        case runLengths4
        case runLengths8
        case runLengths24
        case bitFields
        case unsupported(String)
    }

    let byteCount: Int
    /// The first byte behind the header.
    let end: Int
    let width: Int
    let height: Int
    let bitsPerPixel: Int
    let compression: Compression
    /// The bytes of the masks that follow a BITMAPINFOHEADER.
    let maskByteCount: Int
    /// Red, green, blue, alpha.
    let masks: [UInt32]
    let colorCount: Int
    private let reader: ByteReader
    private let start: Int

    init(_ data: Data, at start: Int, of format: ImageFormat) throws(CodecError) {
        let reader = ByteReader(data, order: .littleEndian)
        guard let byteCount = reader.uint32(at: start) else {
            throw .truncated(format)
        }
        guard byteCount == 12 || (16...64).contains(byteCount) || byteCount == 108 || byteCount == 124 else {
            throw .corrupt(format, reason: "a header of \(byteCount) bytes")
        }
        guard reader.bytes(at: start, count: byteCount) != nil else {
            throw .truncated(format)
        }
        self.reader = reader
        self.start = start
        self.byteCount = byteCount
        end = start + byteCount
        let isCore = byteCount == 12
        // All of these lie within the header.
        if isCore {
            width = reader.uint16(at: start + 4) ?? 0
            height = reader.uint16(at: start + 6) ?? 0
            bitsPerPixel = reader.uint16(at: start + 10) ?? 0
        } else {
            width = Self.signed(reader.uint32(at: start + 4))
            height = Self.signed(reader.uint32(at: start + 8))
            bitsPerPixel = reader.uint16(at: start + 14) ?? 0
        }
        func field(at offset: Int) -> Int {
            byteCount >= offset + 4 && !isCore ? reader.uint32(at: start + offset) ?? 0 : 0
        }
        colorCount = field(at: 32)
        let code = field(at: 16)
        let isWindows = [40, 52, 56, 108, 124].contains(byteCount)
        compression = Self.compression(code, bitsPerPixel: bitsPerPixel, isWindows: isWindows)
        // BI_BITFIELDS and BI_ALPHABITFIELDS; of a longer header the masks are a part.
        let maskCount = code == 6 ? 4 : 3
        maskByteCount = byteCount == 40 && (code == 3 || code == 6) ? maskCount * 4 : 0
        if case .bitFields = compression {
            guard reader.bytes(at: end, count: maskByteCount) != nil else {
                throw .truncated(format)
            }
            let count = byteCount == 40 ? maskCount : byteCount == 52 ? 3 : 4
            masks = (0..<4).map { $0 < count ? UInt32(reader.uint32(at: start + 40 + $0 * 4) ?? 0) : 0 }
        } else {
            masks = []
        }
    }

    /// A Boolean value that indicates whether it is that of OS/2 1.
    var isCore: Bool { byteCount == 12 }

    /// The number at an offset from the start of the header, or 0 where the header does not reach that far.
    func number(at offset: Int) -> Int {
        byteCount >= offset + 4 ? reader.uint32(at: start + offset) ?? 0 : 0
    }

    /// The bits of a pixel in runs of 4 or 8 bits, whatever ``bitsPerPixel`` says.
    var bitsPerPixelOfRuns: Int? {
        switch compression {
        case .runLengths4: 4
        case .runLengths8: 8
        default: nil
        }
    }

    /// The name of the other format of which a whole file is embedded, so that there are no bits a pixel.
    var embeddedFormat: String? {
        if case .unsupported(let reason) = compression, bitsPerPixel == 0 { reason } else { nil }
    }

    private static func signed(_ number: Int?) -> Int {
        Int(Int32(truncatingIfNeeded: number ?? 0))
    }

    private static func compression(_ code: Int, bitsPerPixel: Int, isWindows: Bool) -> Compression {
        switch code {
        case 0: .none
        case 1: .runLengths8
        case 2: .runLengths4
        case 3 where isWindows: .bitFields
        case 3: .unsupported("Huffman coding (OS/2)")
        case 4 where !isWindows: .runLengths24
        // [MS-WMF] 2.1.1.7 has these two for printers only: of the browsers Chromium alone shows them, and an image that
        // brings a second one of another format only widens what can be attacked.
        case 4: .unsupported("an embedded JPEG, meant for printers only")
        case 5: .unsupported("an embedded PNG, meant for printers only")
        case 6: .bitFields
        case 11, 12, 13: .unsupported("CMYK")
        default: .unsupported("compression \(code)")
        }
    }
}
