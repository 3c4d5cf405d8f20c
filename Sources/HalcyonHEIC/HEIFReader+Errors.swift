internal import CHEIFShim
internal import HalcyonCodecs
internal import HalcyonRaster

extension HEIFReader {
    /// The types of items that libheif decodes, or composes of others.
    private static let knownTypes: Set<String> = ["hvc1", "hev1", "av01", "grid", "iden", "iovl"]

    /// libheif's failure in our terms: limits first, because it calls them otherwise.
    static func check(_ result: heif_error, _ container: HEIFContainer) throws(CodecError) {
        guard result.code != heif_error_Ok else {
            return
        }
        let format = container.format
        if let size = container.itemSize, max(size.width, size.height) >= Int(greatestSideLength) {
            throw .limitExceeded(format, .sideLength(size, maximum: Int(greatestSideLength) - 1))
        }
        if let size = container.itemSize, size.area > greatestPixelCount {
            throw .limitExceeded(format, .pixelCount(size, maximum: greatestPixelCount))
        }
        if container.isCutShort || result.subcode == heif_suberror_End_of_data {
            throw .truncated(format)
        }
        if let type = container.itemType, !knownTypes.contains(type) {
            throw .unsupported(format, reason: "its image is coded as \(type)")
        }
        // libheif ends some of its messages with a line break.
        let reason = result.message.map { String(cString: $0).split(separator: "\n").joined(separator: " ") }
        switch result.code {
        case heif_error_Unsupported_feature, heif_error_Unsupported_filetype:
            throw .unsupported(format, reason: reason ?? "unknown feature")
        default:
            throw .corrupt(format, reason: reason ?? "unknown error")
        }
    }
}
