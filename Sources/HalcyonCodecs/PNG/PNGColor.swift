/// The colours of a file as its chunks state them. Of several chunks of one kind, the first counts.
struct PNGColor {
    /// cICP: the numbers of primaries, transfer and matrix, and whether samples use their full range (PNG, 11.3.2.6).
    private(set) var codePoints: [UInt8]?
    /// The place of iCCP in the file.
    private(set) var profile: Range<Int>?
    /// A Boolean value that indicates whether sRGB is there.
    private(set) var isStandard = false
    /// gAMA, times 100,000.
    private(set) var gamma: Int?
    /// cHRM, times 100,000: x and y of white, red, green and blue.
    private(set) var chromaticities: [Int]?

    /// Takes in a chunk that stands before the image; others are passed over.
    mutating func read(_ chunk: PNGChunk, _ payload: UnsafeRawBufferPointer) {
        switch chunk.type {
        case .codePoints where codePoints == nil && payload.count == 4:
            codePoints = Array(payload)
        case .colorProfile where profile == nil:
            profile = chunk.range
        case .standardColor:
            isStandard = true
        case .gamma where gamma == nil && payload.count == 4:
            gamma = Int(payload.bigEndianUInt32(at: 0))
        case .chromaticities where chromaticities == nil && payload.count == 32:
            chromaticities = (0..<8).map { Int(payload.bigEndianUInt32(at: $0 * 4)) }
        default:
            break
        }
    }
}
