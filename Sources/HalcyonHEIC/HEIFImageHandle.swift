internal import CHEIFShim
internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonRaster

/// One image of a HEIF file, not yet decoded: owns libheif's handle.
final class HEIFImageHandle {
    let handle: OpaquePointer
    let identifier: heif_item_id
    let container: HEIFContainer
    /// The composition of the image that it is a part of, which was checked with all of its parts; `nil` for one of its
    /// own.
    private let whole: HEIFGeometry?

    init(
        _ handle: OpaquePointer,
        identifier: heif_item_id,
        container: HEIFContainer,
        partOf whole: HEIFGeometry? = nil
    ) {
        self.handle = handle
        self.identifier = identifier
        self.container = container
        self.whole = whole
    }

    /// Returns the composition of the image, checked against the limits.
    func geometry(limits: DecodeLimits) throws(CodecError) -> HEIFGeometry? {
        if let whole { return whole }
        return try container.geometry(of: Int(identifier), size: codedSize, limits: limits)
    }

    deinit {
        libheif.heif_image_handle_release(handle)
    }

    /// The size as shown.
    var size: PixelSize {
        PixelSize(Int(libheif.heif_image_handle_get_width(handle)), Int(libheif.heif_image_handle_get_height(handle)))
    }

    /// The size before the image is turned and cropped.
    var codedSize: PixelSize {
        PixelSize(
            Int(libheif.heif_image_handle_get_ispe_width(handle)),
            Int(libheif.heif_image_handle_get_ispe_height(handle))
        )
    }

    var hasAlpha: Bool { libheif.heif_image_handle_has_alpha_channel(handle) != 0 }

    /// Bits of one sample, or `nil` where the file does not say.
    var bitDepth: Int? {
        let depth = Int(libheif.heif_image_handle_get_luma_bits_per_pixel(handle))
        return 1...16 ~= depth ? depth : nil
    }

    func info(of format: ImageFormat, frameCount: Int) throws(CodecError) -> ImageInfo {
        guard !size.isEmpty else {
            throw .corrupt(format, reason: "it has a size of \(size)")
        }
        return ImageInfo(
            format: format,
            size: size,
            frameCount: frameCount,
            bitDepth: bitDepth ?? 8,
            hasAlpha: hasAlpha,
            colorSpace: ColorSpace(try colorProfile()) ?? .sRGB
        )
    }

    /// The profile embedded, or else the code points; `nil` for sRGB, and where the file does not say.
    func colorProfile() throws(CodecError) -> ColorProfile? {
        // libheif does not say before decoding whether an image has colours; a profile for grey changes no others.
        if let profile = try iccProfile() {
            if ICCProfile.isProfile(profile, for: .rgb) { return ColorProfile(embedded: profile) }
            if ICCProfile.isProfile(profile, for: .gray) { return ColorProfile(embedded: profile, isGray: true) }
        }
        var points: UnsafeMutablePointer<heif_color_profile_nclx>?
        guard libheif.heif_image_handle_get_nclx_color_profile(handle, &points).code == heif_error_Ok, let points else {
            return nil
        }
        defer { libheif.heif_nclx_color_profile_free(points) }
        return ColorProfile(
            primaries: Int(points.pointee.color_primaries.rawValue),
            transfer: Int(points.pointee.transfer_characteristics.rawValue)
        )
    }

    func iccProfile() throws(CodecError) -> Data? {
        try block(byteCount: libheif.heif_image_handle_get_raw_color_profile_size(handle)) {
            libheif.heif_image_handle_get_raw_color_profile(handle, $0)
        }
    }

    /// The smallest thumbnail that has at least the size asked for, or the largest where none is asked for.
    func thumbnail(for target: PixelSize?) -> HEIFImageHandle? {
        let count = libheif.heif_image_handle_get_number_of_thumbnails(handle)
        guard 1...64 ~= count else {
            return nil
        }
        var identifiers = [heif_item_id](repeating: 0, count: Int(count))
        let found = libheif.heif_image_handle_get_list_of_thumbnail_IDs(handle, &identifiers, count)
        let thumbnails = identifiers.prefix(Int(found)).compactMap { identifier -> HEIFImageHandle? in
            var thumbnail: OpaquePointer?
            let result = libheif.heif_image_handle_get_thumbnail(handle, identifier, &thumbnail)
            return result.code == heif_error_Ok
                ? thumbnail.map { HEIFImageHandle($0, identifier: identifier, container: container) } : nil
        }
        guard let target else {
            return thumbnails.max { $0.size.area < $1.size.area }
        }
        return
            thumbnails
            .filter { $0.size.width >= target.width && $0.size.height >= target.height }
            .min { $0.size.area < $1.size.area }
    }
}

extension HEIFImageHandle {
    /// Bytes of one block of metadata that are read at most.
    private static let greatestBlockByteCount = 1 << 25

    /// Returns a block that libheif writes, or `nil` where there is none, or one of a size that makes no sense.
    ///
    /// - Throws: ``CodecError/bitmap(_:)`` where the memory cannot be allocated.
    func block(byteCount: Int, _ write: (UnsafeMutableRawPointer?) -> heif_error) throws(CodecError) -> Data? {
        guard 1...Self.greatestBlockByteCount ~= byteCount else { return nil }
        let block = try Data.written(capacity: byteCount) { block in
            write(block.baseAddress).code == heif_error_Ok ? byteCount : 0
        }
        return block.isEmpty ? nil : block
    }
}
