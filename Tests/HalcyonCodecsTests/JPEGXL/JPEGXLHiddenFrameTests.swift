import FoundationEssentials
import HalcyonRaster
import HalcyonSystem
import Testing

@testable import HalcyonCodecs
@testable import HalcyonJPEGXL

/// Frames that are never shown: others take pixels from them, and libjxl decodes them without telling.
@Suite("JPEG XL frames that are never shown")
struct JPEGXLHiddenFrameTests {
    private let decoder = JPEGXLDecoder()
    private static let tooMany = CodecError.unsupported(
        .jxl,
        reason: "more frames are drawn on each other than images have"
    )

    private func decode(_ data: Data, limits: DecodeLimits = .standard) throws -> DecodedImage {
        try decoder.decode(data, options: DecodeOptions(limits: limits), isCancelled: { false })
    }

    @Test("do not keep an image from being shown", arguments: [false, true])
    func few(isAnimated: Bool) throws {
        let data = JPEGXLFile.black(16, hidden: [16, 300, 20], isAnimated: isAnimated)
        let image = try decode(data)
        #expect(image.size == PixelSize(16, 16) && image.bitmap[3, 3] == [0, 0, 0, 255])
        #expect(try decoder.info(of: data, limits: .standard).frameCount == 1)
    }

    @Test("have no more pixels together than an encoder makes of an image", arguments: [false, true])
    func pixels(isAnimated: Bool) throws {
        // Four of 1,024 × 1,024 are within what is free.
        #expect(try decode(JPEGXLFile.black(16, hidden: [1_024, 1_024], isAnimated: isAnimated)).size.width == 16)
        for hidden in [[1_024, 1_024, 1_024, 1_024, 1], [16_384], [8_192]] {
            let data = JPEGXLFile.black(16, hidden: hidden, isAnimated: isAnimated)
            #expect(data.count < 1_000)
            #expect(throws: Self.tooMany) { try decode(data) }
            // The header is read whatever follows it.
            #expect(try decoder.info(of: data, limits: .standard).size == PixelSize(16, 16))
        }
    }

    @Test("are within the limit of memory")
    func memory() throws {
        let data = JPEGXLFile.black(16, hidden: [1_024], isAnimated: false)
        let needed = 1_024 * 1_024 * 12 * 3
        #expect(throws: CodecError.limitExceeded(.jxl, .memory(needed + 4_096, maximum: needed))) {
            try decode(data, limits: DecodeLimits(memory: needed))
        }
        #expect(try decode(data, limits: DecodeLimits(memory: needed + 4_096)).size.width == 16)
    }

    @Test("are not all looked at where there are more than 16,384")
    func number() throws {
        let hidden = [Int](repeating: 1, count: 20_000)
        let animation = JPEGXLFile.black(16, hidden: [], isAnimated: true, thenHidden: hidden)
        let info = try decoder.info(of: animation, limits: .standard)
        #expect(info.frameCount == 1 && !info.isFrameCountExact)
        #expect(try decode(animation).info.frameCount == 1)
        #expect(throws: Self.tooMany) {
            try decoder.info(of: JPEGXLFile.black(16, hidden: hidden, isAnimated: true), limits: .standard)
        }
        #expect(throws: Self.tooMany) { try decode(JPEGXLFile.black(16, hidden: hidden, isAnimated: false)) }
    }

    @Test(
        "are counted behind frames whose sections are in another order",
        arguments: JPEGXLFile.Order.allCases.filter { $0 != .nonsense }
    )
    func permuted(order: JPEGXLFile.Order) throws {
        // The larger image has four groups, and so seven sections.
        for side in [16, 1_100] {
            let file = JPEGXLFile.black(side, hidden: [], isAnimated: true, thenHidden: [1_024, 1_024], order: order)
            let info = try decoder.info(of: file, limits: .standard)
            #expect(info.frameCount == 2 && info.frameDurations == [50, 50] && info.isFrameCountExact)
            #expect(try decode(file).bitmap[3, 3] == [0, 0, 0, 255])
            let hostile = JPEGXLFile.black(side, hidden: [], isAnimated: true, thenHidden: [16_384], order: order)
            #expect(hostile.count < 2_000)
            #expect(throws: Self.tooMany) { try decode(hostile) }
        }
    }

    @Test("and frames behind an order of sections that makes no sense are left out")
    func nonsense() throws {
        let file = JPEGXLFile.black(16, hidden: [], isAnimated: true, thenShown: [16], lastOrder: .nonsense)
        let info = try decoder.info(of: file, limits: .standard)
        #expect(info.frameCount == 1 && !info.isFrameCountExact)
        #expect(try decode(file).bitmap[3, 3] == [0, 0, 0, 255])
        let still = JPEGXLFile.black(16, hidden: [], isAnimated: false, lastOrder: .nonsense)
        #expect(throws: CodecError.corrupt(.jxl, reason: "the header of frame 0")) { try decode(still) }
    }

    @Test("and frames in another order of sections are counted within a budget of work")
    func orderWork() throws {
        let shown = [Int](repeating: 16, count: 300)
        let few = JPEGXLFile.black(
            16,
            hidden: [],
            isAnimated: true,
            thenShown: Array(shown.prefix(20)),
            order: .largeCodes
        )
        #expect(try decoder.info(of: few, limits: .standard).isFrameCountExact)
        let many = JPEGXLFile.black(16, hidden: [], isAnimated: true, thenShown: shown, order: .largeCodes)
        let info = try decoder.info(of: many, limits: .standard)
        // Each has a code for 32,768 symbols, of which 2,097,152 are looked at.
        #expect(info.frameCount == 64 && !info.isFrameCountExact)
        #expect(try decode(many).size == PixelSize(16, 16))
    }

    @Test("are ended between the tasks of the decoder")
    func cancelling() throws {
        let data = JPEGXLFile.black(1_024, hidden: [Int](repeating: 1_024, count: 2), isAnimated: false)
        let count = Lock(0)
        _ = try decoder.decode(data, options: DecodeOptions()) {
            count.withLock { $0 += 1 }
            return false
        }
        let asked = count.withLock { $0 }
        // The file is one slice.
        #expect(asked > 6)
        for last in [2, asked / 2, asked] {
            count.withLock { $0 = 0 }
            #expect(throws: CancellationError.self) {
                try decoder.decode(data, options: DecodeOptions()) {
                    count.withLock { count in
                        count += 1
                        return count >= last
                    }
                }
            }
            #expect(count.withLock { $0 } == last)
        }
    }
}

/// Files of black frames, in a few bytes each.
enum JPEGXLFile {
    /// The order of the sections of each frame, and the code in which it stands (annex C).
    enum Order: CaseIterable {
        case none
        /// As they are, in a code without bits.
        case same
        /// The first two in each other's place, in a prefix code.
        case swapped
        /// As they are, in a code for 32,768 symbols.
        case largeCodes
        /// As they are, in numeral systems.
        case numeralSystem
        /// The first two in each other's place, in numbers of 32 bits too many, which libjxl does not read.
        case wideNumbers
        /// More places than there are sections.
        case nonsense

        fileprivate func write(_ bits: inout BitWriter, sectionCount: Int) {
            bits.write((1, self == .none ? 0 : 1))
            guard self != .none else { return }
            // No copies, and one code for all contexts.
            bits.write((1, 0), (1, 1), (2, 0))
            switch self {
            case .none: break
            case .same: bits.write((1, 1), (4, 0), (1, 0))
            case .swapped where sectionCount > 1:
                // Tokens are the numbers; the alphabet has two, of a bit each: one number, which is 1.
                bits.write((1, 1), (4, 15), (1, 1), (4, 0), (2, 1), (2, 1), (1, 0), (1, 1), (1, 1), (1, 1))
            case .wideNumbers where sectionCount > 1:
                // Every token is 33, for 1 and 32 bits; the alphabet has 34, of which the last is the only one.
                bits.write((1, 1), (4, 0), (1, 1), (4, 5), (5, 1), (2, 1), (2, 0), (6, 33))
            case .swapped, .wideNumbers: bits.write((1, 1), (4, 0), (1, 0))
            case .nonsense:
                bits.write((1, 1), (4, 15), (1, 1), (4, 14), (14, 16_383), (2, 1), (2, 0), (15, 32_767))
            case .largeCodes:
                // One symbol, of 15 bits, which is 0.
                bits.write((1, 1), (4, 15), (1, 1), (4, 14), (14, 16_383), (2, 1), (2, 0), (15, 0))
            case .numeralSystem:
                // The first of 32 symbols is the only one, so that the state stays the last one that is allowed.
                bits.write((1, 0), (2, 0), (3, 5), (1, 1), (1, 0), (1, 0), (32, 0x13_0000))
            }
        }
    }

    /// - Parameters:
    ///   - side: The width and height of the image.
    ///   - hidden: Those of frames that are never shown, before the first one that is.
    ///   - later: Those of frames behind that, in which case another one is shown at the end.
    ///   - shown: Those of further frames that are shown.
    ///   - order: That of the sections of each frame.
    ///   - lastOrder: That of the last frame; `nil` for that of the others.
    static func black(
        _ side: Int,
        hidden: [Int],
        isAnimated: Bool,
        thenHidden later: [Int] = [],
        thenShown shown: [Int] = [],
        order: Order = .none,
        lastOrder: Order? = nil
    ) -> Data {
        var bits = BitWriter()
        header(side, isAnimated: isAnimated, &bits)
        func add(_ size: Int, isHidden: Bool, isLast: Bool = false) {
            let order = isLast ? lastOrder ?? order : order
            frame(size, of: side, isHidden: isHidden, isAnimated, isLast: isLast, order, &bits)
        }
        for size in hidden { add(size, isHidden: true) }
        if !later.isEmpty { add(side, isHidden: false) }
        for size in later { add(size, isHidden: true) }
        for size in shown { add(size, isHidden: false) }
        add(side, isHidden: false, isLast: true)
        return Data(bits.bytes)
    }

    /// ISO/IEC 18181-1, annex D.
    private static func header(_ side: Int, isAnimated: Bool, _ bits: inout BitWriter) {
        bits.write((8, 0xff), (8, 0x0a))
        // As many rows, of 18 bits, as columns; metadata.
        bits.write((1, 0), (2, 2), (18, side - 1), (3, 1), (1, 0), (1, isAnimated ? 1 : 0))
        // 100 ticks a second, without end.
        if isAnimated { bits.write((3, 0), (1, 0), (1, 0), (1, 1), (2, 0), (2, 0), (2, 0), (1, 0)) }
        // Integers of 8 bits, three channels of sRGB.
        bits.write((1, 0), (2, 0), (1, 1), (2, 0), (1, 0), (1, 1))
        if isAnimated { bits.write((1, 1)) }
        bits.write((2, 0), (1, 1))
        bits.align()
    }

    /// Annex F: a modular frame in groups of 1,024 × 1,024.
    private static func frame(
        _ side: Int,
        of image: Int,
        isHidden: Bool,
        _ isAnimated: Bool,
        isLast: Bool,
        _ order: Order,
        _ bits: inout BitWriter
    ) {
        bits.write((1, 0), (2, isHidden ? 2 : 0), (1, 1), (2, 0), (1, 0), (2, 0), (2, 3))
        if !isHidden { bits.write((2, 0)) }
        bits.write((1, side == image ? 0 : 1))
        if side != image {
            for _ in 0..<2 {
                if side < 256 { bits.write((2, 0), (8, side)) } else { bits.write((2, side < 2_304 ? 1 : 2)) }
                if 256..<2_304 ~= side { bits.write((11, side - 256)) }
                if side >= 2_304 { bits.write((14, side - 2_304)) }
            }
        }
        if !isHidden {
            bits.write((2, 0))
            if isAnimated { bits.write((2, 2), (8, 5)) }
            bits.write((1, isLast ? 1 : 0))
        }
        if !isLast { bits.write((2, isHidden ? 1 : 0)) }
        if isHidden { bits.write((1, 1)) }
        // No name, no filters, no extensions.
        bits.write((2, 0), (1, 0), (1, 0), (2, 0), (2, 0), (2, 0))
        sections(ofSide: side, order, &bits)
    }

    private static func sections(ofSide side: Int, _ order: Order, _ bits: inout BitWriter) {
        let (groups, coarse) = ((side + 1_023) / 1_024, (side + 8_191) / 8_192)
        let isOne = groups == 1
        var first = BitWriter()
        first.write((1, 1), (1, isOne ? 0 : 1))
        if !isOne { tree(&first) }
        first.write((1, isOne ? 0 : 1), (1, 1), (2, 0))
        if isOne { tree(&first) }
        let group = [UInt8](arrayLiteral: 3)
        var all = [first.bytes]
        if !isOne {
            all += [[UInt8]](repeating: group, count: coarse * coarse) + [[]]
            all += [[UInt8]](repeating: group, count: groups * groups)
        }
        order.write(&bits, sectionCount: all.count)
        if order == .swapped || order == .wideNumbers, !isOne { all.swapAt(0, 1) }
        bits.align()
        for section in all { bits.write((2, 0), (10, section.count)) }
        bits.align()
        for section in all { bits.append(section) }
    }

    /// Annex H: a tree of one leaf, and samples that are all 0, in codes without bits.
    private static func tree(_ bits: inout BitWriter) {
        bits.write((1, 0), (1, 1), (2, 0), (1, 1), (4, 0), (1, 0))
        bits.write((1, 0), (1, 1), (4, 0), (1, 0))
    }
}

/// Writes bits, into each byte the lowest first.
private struct BitWriter {
    private(set) var bytes: [UInt8] = []
    private var count = 0

    /// Writes numbers of so many bits.
    mutating func write(_ fields: (bits: Int, value: Int)...) {
        for field in fields {
            for bit in 0..<field.bits {
                if count % 8 == 0 { bytes.append(0) }
                bytes[bytes.count - 1] |= UInt8(field.value >> bit & 1) << UInt8(count % 8)
                count += 1
            }
        }
    }

    mutating func align() { count = bytes.count * 8 }

    mutating func append(_ more: [UInt8]) {
        bytes += more
        align()
    }
}
