import FoundationEssentials
import HalcyonCodecs
import HalcyonTesting

extension FrameReader {
    /// The hash over the straight pixels of all frames, as the corpora's manifest states it, and their number.
    static func hash(_ data: Data, _ decoder: any ImageDecoder) throws -> (hash: String, count: Int) {
        let reader = try FrameReader(data, decoder: decoder)
        var hash = SHA256()
        while let frame = try reader.next() {
            hash.update(frame.bitmap.straightBytes())
        }
        return (hash.finish(), reader.frameCount)
    }
}
