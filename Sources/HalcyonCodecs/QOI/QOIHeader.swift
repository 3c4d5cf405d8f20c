internal import FoundationEssentials
internal import HalcyonRaster

/// The 14 bytes a QOI starts with ("The Quite OK Image Format", specification 1.0).
struct QOIHeader {
    static let byteCount = 14
    static let signature = Array("qoif".utf8)

    let size: PixelSize
    let hasAlpha: Bool
    /// A Boolean value that indicates whether all channels are linear; otherwise they are sRGB with linear alpha.
    let isLinear: Bool

    init(_ data: Data) throws(CodecError) {
        guard !data.isEmpty else {
            throw .empty
        }
        guard data.starts(with: Self.signature.prefix(data.count)) else {
            throw .corrupt(.qoi, reason: "the signature is missing")
        }
        let reader = ByteReader(data)
        guard let width = reader.uint32(at: 4), let height = reader.uint32(at: 8),
            let channels = reader.uint8(at: 12), let colorSpace = reader.uint8(at: 13)
        else {
            throw .truncated(.qoi)
        }
        size = PixelSize(width, height)
        guard !size.isEmpty else {
            throw .corrupt(.qoi, reason: "the image has a size of \(size)")
        }
        guard channels == 3 || channels == 4 else {
            throw .corrupt(.qoi, reason: "\(channels) channels instead of 3 or 4")
        }
        guard colorSpace <= 1 else {
            throw .corrupt(.qoi, reason: "colour space \(colorSpace) instead of 0 or 1")
        }
        hasAlpha = channels == 4
        isLinear = colorSpace == 1
    }

    var info: ImageInfo {
        ImageInfo(format: .qoi, size: size, hasAlpha: hasAlpha, colorSpace: ColorSpace(colorProfile) ?? .sRGB)
    }

    /// Linear samples with the primaries of sRGB (ITU-T H.273, tables 2 and 3), or `nil` for sRGB.
    var colorProfile: ColorProfile? {
        isLinear ? .codePoints(primaries: 1, transfer: 8) : nil
    }
}
