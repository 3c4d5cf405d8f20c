internal import FoundationEssentials
internal import Halcyon

/// Reads PAM as `halcyon get` writes it, and no other: for the tiles of a contact sheet, without another
/// load of the image.
struct WrittenPAMDecoder: ImageDecoder {
    /// More bytes than the text before the rows takes.
    private static let longestHead = 200

    var format: ImageFormat { .pam }

    func recognizes(_ prefix: Data) -> Bool { prefix.starts(with: "P7\n".utf8) }

    func info(of data: Data, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        ImageInfo(format: .pam, size: try content(of: data).size)
    }

    func decode(
        _ data: Data,
        options: DecodeOptions,
        isCancelled: @Sendable () -> Bool
    ) throws -> DecodedImage {
        let (size, depth, rows) = try content(of: data)
        do {
            let bitmap =
                switch depth {
                case .eight: try rows.withUnsafeBytes { try Bitmap(premultiplying: $0, size: size) }
                case .sixteen:
                    try Self.inMachineOrder(rows).withUnsafeBytes { try Bitmap(premultiplying16: $0, size: size) }
                }
            return DecodedImage(bitmap: bitmap, info: ImageInfo(format: .pam, size: size))
        } catch let error as BitmapError {
            throw CodecError.bitmap(error)
        }
    }

    private static func inMachineOrder(_ rows: Data) -> [UInt16] {
        rows.withUnsafeBytes { bytes in
            stride(from: 0, to: bytes.count, by: 2).map {
                UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: $0, as: UInt16.self))
            }
        }
    }

    private func content(of data: Data) throws(CodecError) -> (size: PixelSize, depth: SampleDepth, rows: Data) {
        let head = data.prefix(Self.longestHead)
        guard let end = head.firstRange(of: Data("ENDHDR\n".utf8)) else { throw .truncated(.pam) }
        var numbers: [Substring: Int] = [:]
        for line in String(decoding: head[..<end.lowerBound], as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count == 2 { numbers[words[0]] = Int(words[1]) }
        }
        guard numbers["DEPTH"] == 4, let maximum = numbers["MAXVAL"], maximum == 255 || maximum == 65_535,
            let width = numbers["WIDTH"], let height = numbers["HEIGHT"], width > 0, height > 0
        else { throw .unsupported(.pam, reason: "it is not as this program writes it") }
        let (size, depth, rows) = (
            PixelSize(width, height), maximum == 255 ? SampleDepth.eight : .sixteen, data[end.upperBound...]
        )
        guard rows.count == size.area * depth.bytesPerPixel else { throw .truncated(.pam) }
        return (size, depth, rows)
    }
}
