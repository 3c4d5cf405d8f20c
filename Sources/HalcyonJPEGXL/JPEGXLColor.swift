internal import CJPEGXLShim
internal import FoundationEssentials
internal import HalcyonCodecs

/// The translation of the colours of a JPEG XL image from libjxl's terms to ours.
enum JPEGXLColor {
    /// The colour space of the image as it was encoded; the decoder must be past the colour encoding.
    static func space(of decoder: OpaquePointer, isGray: Bool) throws(CodecError) -> ColorSpace {
        if let encoding = encoding(of: decoder, JXL_COLOR_PROFILE_TARGET_ORIGINAL), isSRGB(encoding) {
            return isGray ? .gray : .sRGB
        }
        let profile = try iccProfile(of: decoder, JXL_COLOR_PROFILE_TARGET_ORIGINAL)
        return profile.flatMap(ICCProfile.colorSpace(of:)) ?? (isGray ? .gray : .sRGB)
    }

    /// Chooses the colours that pixels come in, and returns what they are: `nil` for sRGB.
    ///
    /// Images in libjxl's own colour space (XYB) can come in any; sRGB saves a conversion, and is the only choice
    /// where the file has an ICC profile, since libjxl would hand out linear light then. HDR stays as it is, because
    /// libjxl 0.7 does not map its tones.
    static func choose(
        for decoder: OpaquePointer,
        _ basics: JxlBasicInfo,
        handling: ColorHandling
    ) throws(CodecError) -> ColorProfile? {
        let isGray = basics.num_color_channels == 1
        if basics.uses_original_profile == 0 {
            let original = encoding(of: decoder, JXL_COLOR_PROFILE_TARGET_ORIGINAL)
            if original.map({ handling == .sRGB && !isHDR($0) }) ?? true {
                var sRGB = JxlColorEncoding()
                libjxl.JxlColorEncodingSetToSRGB(&sRGB, isGray ? 1 : 0)
                if libjxl.JxlDecoderSetPreferredColorProfile(decoder, &sRGB) == JXL_DEC_SUCCESS {
                    return nil
                }
            }
        }
        if let encoding = encoding(of: decoder, JXL_COLOR_PROFILE_TARGET_DATA) {
            if isSRGB(encoding) {
                return nil
            }
            if let points = codePoints(encoding) {
                return points
            }
        }
        return ColorProfile(embedded: try iccProfile(of: decoder, JXL_COLOR_PROFILE_TARGET_DATA), isGray: isGray)
    }

    /// The profile of the image as it was encoded, as bytes; `nil` for sRGB, which needs none.
    static func originalProfile(of decoder: OpaquePointer) throws(CodecError) -> Data? {
        if let encoding = encoding(of: decoder, JXL_COLOR_PROFILE_TARGET_ORIGINAL), isSRGB(encoding) {
            return nil
        }
        return try iccProfile(of: decoder, JXL_COLOR_PROFILE_TARGET_ORIGINAL)
    }

    /// The profile of four inks, if the image has one.
    static func inkProfile(of decoder: OpaquePointer) throws(CodecError) -> Data? {
        try iccProfile(of: decoder, JXL_COLOR_PROFILE_TARGET_ORIGINAL).flatMap { profile in
            ICCProfile.isProfile(profile, for: .inks) ? profile : nil
        }
    }

    private static func encoding(of decoder: OpaquePointer, _ target: JxlColorProfileTarget) -> JxlColorEncoding? {
        var encoding = JxlColorEncoding()
        let status = halcyon_jpegxl_get_encoding(decoder, target, &encoding)
        let isKnown = encoding.color_space == JXL_COLOR_SPACE_RGB || encoding.color_space == JXL_COLOR_SPACE_GRAY
        return status == JXL_DEC_SUCCESS && isKnown ? encoding : nil
    }

    private static func iccProfile(
        of decoder: OpaquePointer,
        _ target: JxlColorProfileTarget
    ) throws(CodecError) -> Data? {
        var count = 0
        guard halcyon_jpegxl_get_icc_profile_size(decoder, target, &count) == JXL_DEC_SUCCESS,
            128...ICCProfile.maximumByteCount ~= count
        else {
            return nil
        }
        let profile = try Data.written(capacity: count) { bytes in
            let start = bytes.assumingMemoryBound(to: UInt8.self).baseAddress
            let status = halcyon_jpegxl_get_icc_profile(decoder, target, start, count)
            return status == JXL_DEC_SUCCESS ? count : 0
        }
        return profile.isEmpty ? nil : profile
    }

    private static func isSRGB(_ encoding: JxlColorEncoding) -> Bool {
        encoding.transfer_function == JXL_TRANSFER_FUNCTION_SRGB && encoding.white_point == JXL_WHITE_POINT_D65
            && (encoding.color_space == JXL_COLOR_SPACE_GRAY || encoding.primaries == JXL_PRIMARIES_SRGB)
    }

    private static func isHDR(_ encoding: JxlColorEncoding) -> Bool {
        encoding.transfer_function == JXL_TRANSFER_FUNCTION_PQ
            || encoding.transfer_function == JXL_TRANSFER_FUNCTION_HLG
    }

    /// libjxl's numbers are those of ITU-T H.273, but that it says P3 (11) with any white point.
    private static func codePoints(_ encoding: JxlColorEncoding) -> ColorProfile? {
        let primaries: Int? =
            switch (encoding.white_point, encoding.primaries) {
            case (JXL_WHITE_POINT_D65, _) where encoding.color_space == JXL_COLOR_SPACE_GRAY: 1
            case (JXL_WHITE_POINT_D65, JXL_PRIMARIES_SRGB): 1
            case (JXL_WHITE_POINT_D65, JXL_PRIMARIES_2100): 9
            case (JXL_WHITE_POINT_D65, JXL_PRIMARIES_P3): 12
            case (JXL_WHITE_POINT_DCI, JXL_PRIMARIES_P3): 11
            default: nil
            }
        let transfer = encoding.transfer_function
        let isNumbered = transfer != JXL_TRANSFER_FUNCTION_GAMMA && transfer != JXL_TRANSFER_FUNCTION_UNKNOWN
        return isNumbered ? primaries.map { .codePoints(primaries: $0, transfer: Int(transfer.rawValue)) } : nil
    }
}
