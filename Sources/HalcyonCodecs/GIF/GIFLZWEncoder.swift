internal import FoundationEssentials
internal import HalcyonSystem

/// The compression of GIF (GIF89a, appendix F), in sub-blocks.
struct GIFLZWEncoder {
    /// Four times as many places as codes, so that few runs share one.
    private static let tableSize = 1 << 14
    private static let emptyPlace = UInt32.max

    private let minimumCodeSize: Int
    private var codeSize: Int
    private var nextCode: Int
    /// Runs by the code of all but their last index, and that index.
    private var keys = [UInt32](repeating: GIFLZWEncoder.emptyPlace, count: GIFLZWEncoder.tableSize)
    private var codes = [UInt16](repeating: 0, count: GIFLZWEncoder.tableSize)
    /// The length of a sub-block, and its bytes.
    private var block: [UInt8] = [0]
    private static let greatestBlockByteCount = 255
    private var accumulator: UInt32 = 0
    private var bitCount = 0

    private var clearCode: Int { 1 << minimumCodeSize }

    init(minimumCodeSize: Int) {
        self.minimumCodeSize = minimumCodeSize
        codeSize = minimumCodeSize + 1
        nextCode = 1 << minimumCodeSize + 2
    }

    /// Appends the codes for these indices, and the end of the sub-blocks.
    ///
    /// - Throws: ``CodecError/bitmap(_:)`` where the memory cannot be allocated.
    mutating func encode(_ indices: Data, to file: inout GatheredBytes) throws(CodecError) {
        startTable()
        try emit(clearCode, to: &file)
        var run: Int?
        for index in indices {
            guard let prefix = run else {
                run = Int(index)
                continue
            }
            let key = UInt32(prefix) << 8 | UInt32(index)
            let place = place(of: key)
            if keys[place] == key {
                run = Int(codes[place])
                continue
            }
            try emit(prefix, to: &file)
            if nextCode < 4096 {
                keys[place] = key
                codes[place] = UInt16(nextCode)
                growIfNeeded()
                nextCode += 1
            } else {
                try emit(clearCode, to: &file)
                startTable()
            }
            run = Int(index)
        }
        if let run {
            try emit(run, to: &file)
            // A decoder adds a run here, too, and with it may have gone over to longer codes.
            growIfNeeded()
        }
        try emit(clearCode + 1, to: &file)
        if bitCount > 0 { try append(UInt8(truncatingIfNeeded: accumulator), to: &file) }
        if block.count > 1 { try endBlock(&file) }
        try file.add([0])
    }

    private mutating func startTable() {
        codeSize = minimumCodeSize + 1
        nextCode = clearCode + 2
        for place in keys.indices {
            keys[place] = GIFLZWEncoder.emptyPlace
        }
    }

    /// A decoder knows a run one code later than this does, so the size grows once the next code no longer fits.
    private mutating func growIfNeeded() {
        if nextCode == 1 << codeSize, codeSize < 12 {
            codeSize += 1
        }
    }

    /// Returns the place at which a key is or would be.
    private func place(of key: UInt32) -> Int {
        // Multiplicative hashing (Knuth, The Art of Computer Programming, 6.4), the upper 14 bits.
        var place = Int((key &* 2_654_435_769) >> 18)
        while keys[place] != key, keys[place] != GIFLZWEncoder.emptyPlace {
            place = (place + 1) & (GIFLZWEncoder.tableSize - 1)
        }
        return place
    }

    private mutating func emit(_ code: Int, to file: inout GatheredBytes) throws(CodecError) {
        accumulator |= UInt32(truncatingIfNeeded: code) << UInt32(bitCount)
        bitCount += codeSize
        while bitCount >= 8 {
            try append(UInt8(truncatingIfNeeded: accumulator), to: &file)
            accumulator >>= 8
            bitCount -= 8
        }
    }

    private mutating func append(_ byte: UInt8, to file: inout GatheredBytes) throws(CodecError) {
        block.append(byte)
        if block.count > Self.greatestBlockByteCount { try endBlock(&file) }
    }

    private mutating func endBlock(_ file: inout GatheredBytes) throws(CodecError) {
        block[0] = UInt8(block.count - 1)
        try file.add(block)
        block.removeLast(block.count - 1)
    }
}
