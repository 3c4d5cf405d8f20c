internal import HalcyonRaster

/// The decompression of GIF (GIF89a, appendix F): codes of up to 12 bits, each for a run of palette indices.
///
/// A run of up to seven indices is kept in one word, its length in the highest byte, so that most codes cost one load,
/// one store and no guess of the processor's. A longer run is kept as the place of its first appearance in the output.
struct GIFLZWDecoder {
    enum Outcome: Equatable {
        /// The image is full, or the data ended by themselves before that.
        case ended
        /// A code that has no run yet.
        case damaged
        case cancelled
    }

    /// The minimum code sizes that can be decoded. The specification has 2 to 8, but browsers show files with 0 and
    /// 1, which some encoders write, and with up to 12, whose codes of 13 bits make no runs.
    static let minimumCodeSizes = 0...12
    /// Bytes behind the output that copies may overwrite.
    static let slack = 16
    /// Bytes behind the input that are read, and never used.
    static let inputSlack = 8
    private static let codeCount = 4096
    /// Bits of input between two questions whether to go on.
    private static let bitsPerPoll = 1 << 20

    private let table: PixelBuffer

    init() throws(BitmapError) {
        // With a minimum code size of 12, the clear code and the end code lie behind the others.
        table = try PixelBuffer(byteCount: (GIFLZWDecoder.codeCount + 2) * MemoryLayout<UInt64>.stride)
    }

    /// Decompresses up to `capacity` indices to `output`, which has ``slack`` bytes more; says how many there were.
    /// Behind `input` there are ``inputSlack`` bytes more, and `minimumCodeSize` is one of ``minimumCodeSizes``.
    ///
    /// Raw pointers, because a check a byte would double the time. Three comparisons keep hostile codes inside: a run
    /// is only looked up if its code is below `next`, a long run is cut at `capacity` and a short one has 7 bytes at
    /// most, and a code is only read while `position` is below the end of the input. Offsets fit 32 bits: sides have
    /// 16. Lengths fit 16: a run is one index longer than another, and there are 4,096.
    func decode(
        _ input: UnsafeRawBufferPointer,
        minimumCodeSize: Int,
        into output: UnsafeMutablePointer<UInt8>,
        capacity: Int,
        isCancelled: () -> Bool
    ) -> (count: Int, outcome: Outcome) {
        guard let bytes = input.baseAddress else {
            return (0, .ended)
        }
        let runs = table.pointer.assumingMemoryBound(to: UInt64.self)
        let target = UnsafeMutableRawPointer(output)
        let clearCode = 1 << minimumCodeSize
        for index in 0..<clearCode {
            runs[index] = Self.run(of: UInt8(truncatingIfNeeded: index))
        }
        // Neither is ever looked up; both are below `next`.
        runs[clearCode] = 0
        runs[clearCode + 1] = 0
        let firstFree = clearCode + 2
        var codeSize = minimumCodeSize + 1
        var sizeLimit = 1 << codeSize
        var next = firstFree
        var count = 0
        var previous: UInt64 = 0
        // Negative behind a clear code: the next code adds no run.
        var previousStart = -1
        // In bits.
        var position = 0
        let end = input.count * 8
        var pollAt = Self.bitsPerPoll

        while count < capacity {
            if position >= pollAt {
                pollAt = position &+ Self.bitsPerPoll
                if isCancelled() {
                    return (count, .cancelled)
                }
            }
            guard position &+ codeSize <= end else {
                return (count, .ended)
            }
            // A code of 13 bits that begins at the last bit of a byte ends within 20.
            let word = bytes.loadUnaligned(fromByteOffset: position &>> 3, as: UInt32.self).littleEndian
            let code = Int(truncatingIfNeeded: word &>> UInt32(truncatingIfNeeded: position & 7)) & (sizeLimit &- 1)
            position &+= codeSize

            var isAdded = false
            if code >= next {
                // Only the run that this code is about to add: the previous one and its own first index.
                guard code == next, previousStart >= 0, next < Self.codeCount else {
                    return (count, .damaged)
                }
                runs[next] = Self.run(previous, from: previousStart, and: Self.first(of: previous, output))
                isAdded = true
            } else if UInt(bitPattern: code &- clearCode) < 2 {
                if code != clearCode {
                    return (count, .ended)
                }
                codeSize = minimumCodeSize &+ 1
                sizeLimit = 1 &<< codeSize
                next = firstFree
                previousStart = -1
                continue
            }

            let run = runs[code]
            let start = count
            if Self.isShort(run) {
                target.storeBytes(of: run.littleEndian, toByteOffset: count, as: UInt64.self)
                count &+= Self.length(ofShort: run)
            } else {
                let length = min(Self.length(ofLong: run), capacity &- count)
                Self.copy(length, from: Self.offset(ofLong: run), to: count, in: target)
                count &+= length
            }
            if previousStart >= 0, next < Self.codeCount {
                if !isAdded {
                    runs[next] = Self.run(previous, from: previousStart, and: output[start])
                }
                next &+= 1
            }
            // With a minimum code size below 2, codes grow although the first one adds no run, as encoders have it.
            if next >= sizeLimit, codeSize < 12 {
                codeSize &+= 1
                sizeLimit &<<= 1
            }
            previous = run
            previousStart = start
        }
        return (min(count, capacity), .ended)
    }
}

/// Runs, as the table holds them.
extension GIFLZWDecoder {
    private static let longest = 7
    private static let longMark: UInt64 = 1 << 63

    @inline(__always)
    private static func run(of index: UInt8) -> UInt64 { UInt64(index) | 1 << 56 }

    @inline(__always)
    private static func isShort(_ run: UInt64) -> Bool { run < longMark }

    @inline(__always)
    private static func length(ofShort run: UInt64) -> Int { Int(truncatingIfNeeded: run &>> 56) }

    @inline(__always)
    private static func length(ofLong run: UInt64) -> Int { Int(truncatingIfNeeded: run &>> 32) & 0xFFFF }

    @inline(__always)
    private static func offset(ofLong run: UInt64) -> Int { Int(truncatingIfNeeded: run & 0xFFFF_FFFF) }

    @inline(__always)
    private static func first(of run: UInt64, _ output: UnsafeMutablePointer<UInt8>) -> UInt8 {
        isShort(run) ? UInt8(truncatingIfNeeded: run) : output[offset(ofLong: run)]
    }

    /// A run that last appeared at `start`, and the index behind it.
    @inline(__always)
    private static func run(_ run: UInt64, from start: Int, and index: UInt8) -> UInt64 {
        let place = UInt64(truncatingIfNeeded: start)
        guard isShort(run) else {
            return longMark | UInt64(truncatingIfNeeded: length(ofLong: run) &+ 1) &<< 32 | place
        }
        let length = length(ofShort: run)
        guard length < longest else {
            return longMark | UInt64(longest + 1) &<< 32 | place
        }
        return (run &+ 1 &<< 56) | UInt64(index) &<< UInt64(truncatingIfNeeded: 8 &* length)
    }

    @inline(__always)
    private static func copy(_ length: Int, from offset: Int, to count: Int, in target: UnsafeMutableRawPointer) {
        var index = 0
        if count &- offset >= 8 {
            // Eight at a time: what is read lies wholly before what is written.
            while index < length {
                let word = target.loadUnaligned(fromByteOffset: offset &+ index, as: UInt64.self)
                target.storeBytes(of: word, toByteOffset: count &+ index, as: UInt64.self)
                index &+= 8
            }
        } else {
            while index < length {
                let byte = target.load(fromByteOffset: offset &+ index, as: UInt8.self)
                target.storeBytes(of: byte, toByteOffset: count &+ index, as: UInt8.self)
                index &+= 1
            }
        }
    }
}
