internal import Halcyon
internal import HalcyonRaster

/// What is done to the shape of an image, or to its place.
enum GeometryWork: String {
    /// A file to a thumbnail, its middle cut out, with round corners and a border.
    case avatar
    /// Pixels rotated by ``degrees``, between the pixels with a cubic.
    case rotation
    /// ``part`` of pixels.
    case crop
    /// Pixels mirrored from left to right.
    case flip
    /// Pixels with round corners of ``radius``.
    case corners

    static let part = PixelRect(x: 100, y: 100, width: 1_200, height: 900)
    static let radius = 40.0
    static let degrees = 30.0

    /// The processors of an avatar, after a decoder that delivers 400 × 300 pixels or a little more.
    static var avatarChain: ImageProcessorChain {
        .downsample(to: .pixels(400, 300)) |> .crop(to: .pixels(300, 300)) |> .roundCorners(radius: .pixels(20))
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
        case .crop:
            let bitmap = try input.bitmap()
            return {
                blackHole(try bitmap.cropped(to: GeometryWork.part))
                return 0
            }
        case .flip:
            let bitmap = try input.bitmap()
            return {
                blackHole(try bitmap.oriented(.upMirrored))
                return 0
            }
        case .corners:
            let bitmap = try input.bitmap()
            return {
                blackHole(try bitmap.roundingCorners(radius: GeometryWork.radius))
                return 0
            }
        }
    }
}
