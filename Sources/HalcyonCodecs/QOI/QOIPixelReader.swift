/// Decodes the chunks of a QOI (specification 1.0, "Data chunks") row by row, from any bytes.
struct QOIPixelReader {
    /// Runs of 63 and 64 pixels would be the tags of the two chunks with whole samples.
    static let maximumRunLength = 62

    private let bytes: UnsafeRawBufferPointer
    private let hasAlpha: Bool
    private var offset = 0
    private var pixel = QOIPixel.black
    private var remainingRun = 0
    /// The pixels seen most recently at each hash; transparent black at the beginning.
    private var seen = [QOIPixel](repeating: QOIPixel(bits: 0), count: 64)

    init(_ bytes: Slice<UnsafeRawBufferPointer>, hasAlpha: Bool) {
        self.bytes = UnsafeRawBufferPointer(rebasing: bytes)
        self.hasAlpha = hasAlpha
    }

    /// Writes the next `count` pixels with straight alpha; says whether there were so many.
    ///
    /// Everything the loop touches is local, because debug builds check every access to a member.
    mutating func read(into row: UnsafeMutablePointer<UInt8>, count: Int) -> Bool {
        // Alpha of an image that says it has none is not shown, as in the reference implementation.
        let forced: UInt32 = hasAlpha ? 0 : 0xff00_0000
        let out = UnsafeMutableRawPointer(row)
        let (bytes, end) = (self.bytes, self.bytes.count)
        var (offset, pixel, run) = (self.offset, self.pixel, remainingRun)
        defer { (self.offset, self.pixel, remainingRun) = (offset, pixel, run) }
        return seen.withUnsafeMutableBufferPointer { seen in
            var x = 0
            while x < count {
                if run > 0 {
                    let length = min(run, count &- x)
                    for index in x..<x &+ length {
                        out.storeBytes(of: pixel.bits | forced, toByteOffset: index &* 4, as: UInt32.self)
                    }
                    run &-= length
                    x &+= length
                    continue
                }
                guard offset < end else {
                    return false
                }
                let tag = bytes[offset]
                offset &+= 1
                switch tag >> 6 {
                case 0:
                    pixel = seen[Int(tag)]
                case 1:
                    pixel.add(tag >> 4 & 3 &- 2, tag >> 2 & 3 &- 2, tag & 3 &- 2)
                case 2:
                    guard offset < end else {
                        return false
                    }
                    let second = bytes[offset]
                    offset &+= 1
                    let green = tag & 63 &- 32
                    pixel.add(green &+ (second >> 4) &- 8, green, green &+ (second & 15) &- 8)
                default:
                    guard tag >= 0xfe else {
                        run = Int(tag & 63) &+ 1
                        // The hash of the first pixel, if a run comes first, is stored by the reference decoder too.
                        seen[pixel.hash] = pixel
                        continue
                    }
                    let sampleCount = tag == 0xfe ? 3 : 4
                    guard end &- offset >= sampleCount else {
                        return false
                    }
                    pixel.set(
                        bytes[offset],
                        bytes[offset &+ 1],
                        bytes[offset &+ 2],
                        alpha: sampleCount == 4 ? bytes[offset &+ 3] : pixel.alpha
                    )
                    offset &+= sampleCount
                }
                seen[pixel.hash] = pixel
                out.storeBytes(of: pixel.bits | forced, toByteOffset: x &* 4, as: UInt32.self)
                x &+= 1
            }
            return true
        }
    }
}
