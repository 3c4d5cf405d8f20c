internal import Halcyon

/// What is done to the shape of an image, or to its place.
enum GeometryWork: String {
    /// A file to a thumbnail, its middle cut out, with round corners and a border.
    case avatar
    /// Pixels rotated by ``degrees``, between the pixels with a cubic.
    case rotation

    static let degrees = 30.0

    /// The processors of an avatar, after a decoder that delivers 400 × 300 pixels or a little more.
    static var avatarChain: ImageProcessorChain {
        .downsample(to: PixelSize(400, 300)) |> .crop(to: PixelSize(300, 300)) |> .roundCorners(radius: .pixels(20))
            |> .border(Border(width: .pixels(4), color: .white), corners: RoundedCorners(.pixels(20)))
    }
}

extension PixelOperations {
    static func geometry(_ work: GeometryWork, _ input: PixelInput) throws -> @Sendable () throws -> Int {
        switch work {
        case .avatar:
            let (codecs, bytes) = (ImageCodecs.standard, try input.bytes())
            let (chain, options) = (GeometryWork.avatarChain, DecodeOptions(targetSize: PixelSize(400, 300)))
            return {
                blackHole(try chain.process(codecs.decode(bytes, options: options)))
                return 0
            }
        case .rotation:
            let bitmap = try input.bitmap()
            return {
                blackHole(try bitmap.rotated(byDegrees: GeometryWork.degrees))
                return 0
            }
        }
    }
}
