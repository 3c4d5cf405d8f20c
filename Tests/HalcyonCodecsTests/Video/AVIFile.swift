import FoundationEssentials
import HalcyonRaster

/// Files of Audio Video Interleave, which no encoder of ours writes.
enum AVIFile {
    /// A video of PNG images, one a second.
    static func pictures(_ frames: [Data], size: PixelSize) -> Data {
        let stream =
            Data("vidsMPNG".utf8) + numbers([0, 0, 0, 1, 1, 0, frames.count, 1 << 20, 0, 0, 0])
            + numbers([size.height << 16 | size.width])
        let picture =
            numbers([40, size.width, size.height, 24 << 16 | 1]) + Data("MPNG".utf8) + numbers([0, 0, 0, 0, 0])
        let header = numbers([
            1_000_000, 0, 0, 0, frames.count, 0, 1, 1 << 20, size.width, size.height, 0, 0, 0, 0,
        ])
        let lists =
            list("hdrl", chunk("avih", header) + list("strl", chunk("strh", stream) + chunk("strf", picture)))
            + list("movi", frames.reduce(Data()) { $0 + chunk("00dc", $1) })
        return Data("RIFF".utf8) + numbers([lists.count + 4]) + Data("AVI ".utf8) + lists
    }

    private static func list(_ type: String, _ content: Data) -> Data {
        chunk("LIST", Data(type.utf8) + content)
    }

    private static func chunk(_ type: String, _ content: Data) -> Data {
        Data(type.utf8) + numbers([content.count]) + content + Data(count: content.count & 1)
    }

    private static func numbers(_ values: [Int]) -> Data {
        Data(values.flatMap { value in [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: value >> $0) } })
    }
}
