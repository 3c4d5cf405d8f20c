internal import HalcyonRaster

/// The decompression of GIF (GIF89a, appendix F): codes of 3 to 12 bits, each for a run of palette indices.
///
/// A run is kept as the place of its first appearance in the output and its length, so that a code costs one copy
/// instead of a walk along a chain of prefixes.
struct GIFLZWDecoder {
    enum Outcome: Equatable {
        /// The picture is full, or the data ended by themselves before that.
        case ended
        /// A code that has no run yet.
        case damaged
        case cancelled
    }

    /// Bytes behind the output that copies may overwrite.
    static let slack = 16
    private static let codeCount = 4096
    /// Codes between two questions whether to go on; each makes up to 4 kB.
    private static let codesPerPoll = 1 << 16

    private let table: PixelBuffer

    init() throws(BitmapError) {
        table = try PixelBuffer(byteCount: GIFLZWDecoder.codeCount * (4 + 2))
    }

    /// Decompresses up to `capacity` indices to `output`, which has ``slack`` bytes more; says how many there were.
    ///
    /// Raw pointers, because a check a byte would double the time. Three comparisons keep hostile codes inside: a run
    /// is only looked up if its code is below `next`, the run's length never passes `capacity`, and bits are only
    /// loaded while `position` is below `input.count`. Offsets fit 32 bits: sides have 16.
    func decode(
        _ input: UnsafeRawBufferPointer,
        minimumCodeSize: Int,
        into output: UnsafeMutablePointer<UInt8>,
        capacity: Int,
        isCancelled: () -> Bool
    ) -> (count: Int, outcome: Outcome) {
        let offsets = table.pointer.assumingMemoryBound(to: UInt32.self)
        let lengths = (table.pointer + 4 * GIFLZWDecoder.codeCount).assumingMemoryBound(to: UInt16.self)
        let target = UnsafeMutableRawPointer(output)
        let clearCode = 1 << minimumCodeSize
        let firstFree = clearCode + 2
        var codeSize = minimumCodeSize + 1
        var sizeLimit = 1 << codeSize
        var next = firstFree
        var accumulator: UInt64 = 0
        var bitCount = 0
        var position = 0
        var count = 0
        var previousOffset = 0
        // 0 behind a clear code: the next code adds no run.
        var previousLength = 0
        var codesUntilPoll = GIFLZWDecoder.codesPerPoll

        while count < capacity {
            if bitCount < codeSize {
                if position &+ 8 <= input.count {
                    let word = input.loadUnaligned(fromByteOffset: position, as: UInt64.self).littleEndian
                    accumulator |= word &<< UInt64(truncatingIfNeeded: bitCount)
                    let loaded = (63 &- bitCount) &>> 3
                    position &+= loaded
                    bitCount &+= loaded &<< 3
                } else {
                    while bitCount <= 56, position < input.count {
                        accumulator |= UInt64(input[position]) &<< UInt64(truncatingIfNeeded: bitCount)
                        position &+= 1
                        bitCount &+= 8
                    }
                    if bitCount < codeSize {
                        return (count, .ended)
                    }
                }
            }
            let code = Int(truncatingIfNeeded: accumulator) & (sizeLimit &- 1)
            accumulator &>>= UInt64(truncatingIfNeeded: codeSize)
            bitCount &-= codeSize

            let start = count
            if code < clearCode {
                output[count] = UInt8(truncatingIfNeeded: code)
                count &+= 1
            } else if code == clearCode {
                codeSize = minimumCodeSize &+ 1
                sizeLimit = 1 &<< codeSize
                next = firstFree
                previousLength = 0
                continue
            } else if code == clearCode &+ 1 {
                return (count, .ended)
            } else {
                let offset: Int
                var length: Int
                if code < next {
                    offset = Int(offsets[code])
                    length = Int(lengths[code])
                } else if code == next, previousLength > 0 {
                    // The run about to be added: the previous one and its own first index.
                    offset = previousOffset
                    length = previousLength &+ 1
                } else {
                    return (count, .damaged)
                }
                length = min(length, capacity &- count)
                var index = 0
                if count &- offset >= 8 {
                    // Eight at a time: what is read lies wholly before what is written.
                    while index < length {
                        let word = UnsafeRawPointer(target).loadUnaligned(
                            fromByteOffset: offset &+ index,
                            as: UInt64.self
                        )
                        target.storeBytes(of: word, toByteOffset: count &+ index, as: UInt64.self)
                        index &+= 8
                    }
                } else {
                    while index < length {
                        output[count &+ index] = output[offset &+ index]
                        index &+= 1
                    }
                }
                count &+= length
            }
            if previousLength > 0, next < GIFLZWDecoder.codeCount {
                offsets[next] = UInt32(truncatingIfNeeded: previousOffset)
                lengths[next] = UInt16(truncatingIfNeeded: previousLength &+ 1)
                next &+= 1
                if next == sizeLimit, codeSize < 12 {
                    codeSize &+= 1
                    sizeLimit &<<= 1
                }
            }
            previousOffset = start
            previousLength = count &- start

            codesUntilPoll &-= 1
            if codesUntilPoll == 0 {
                codesUntilPoll = GIFLZWDecoder.codesPerPoll
                if isCancelled() {
                    return (count, .cancelled)
                }
            }
        }
        return (count, .ended)
    }
}
