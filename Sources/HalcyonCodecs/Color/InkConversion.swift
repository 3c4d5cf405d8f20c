internal import CLCMS
internal import FoundationEssentials

/// Turns cyan, magenta, yellow and black into sRGB by the profile of the inks.
///
/// Belongs to one decoding, on one thread: lcms2 keeps the last colour in a transform.
final class InkConversion {
    /// Profiles of printers have up to a few megabytes.
    private static let maximumByteCount = 8 << 20
    /// TYPE_CMYK_8 and TYPE_RGBA_8, which are macros: colour model, extra channels, channels, bytes a sample.
    private static let inks = cmsUInt32Number(PT_CMYK << 16 | 4 << 3 | 1)
    private static let pixels = cmsUInt32Number(PT_RGB << 16 | 1 << 7 | 3 << 3 | 1)

    private let transform: cmsHTRANSFORM

    /// `nil` for a profile that cannot be used. Reads all of it and makes a table, which takes some milliseconds.
    init?(profile data: Data) {
        guard data.count <= Self.maximumByteCount else {
            return nil
        }
        let opened = data.withUnsafeBytes { cmsOpenProfileFromMem($0.baseAddress, cmsUInt32Number($0.count)) }
        guard let profile = opened, let sRGB = cmsCreate_sRGBProfile() else {
            return nil
        }
        defer {
            cmsCloseProfile(profile)
            cmsCloseProfile(sRGB)
        }
        guard cmsGetColorSpace(profile) == cmsSigCmykData,
            let transform = cmsCreateTransform(
                profile,
                Self.inks,
                sRGB,
                Self.pixels,
                cmsUInt32Number(INTENT_PERCEPTUAL),
                0
            )
        else {
            return nil
        }
        self.transform = transform
    }

    deinit {
        cmsDeleteTransform(transform)
    }

    /// Converts pixels of four shares of ink into red, green, blue, 255, in place.
    func convert(_ pixels: UnsafeMutablePointer<UInt8>, count: Int) {
        cmsDoTransform(transform, pixels, pixels, cmsUInt32Number(count))
        for index in 0..<count {
            // lcms2 leaves what is not a colour alone: here still the black.
            pixels[index * 4 + 3] = 255
        }
    }
}
