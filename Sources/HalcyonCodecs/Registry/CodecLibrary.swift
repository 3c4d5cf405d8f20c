internal import CAVIFShim

#if HEIC
internal import CHEIF
#endif
#if JPEGXL
internal import CJPEGXL
#endif
#if SVG
internal import CSVGShim
#endif
#if Video
internal import CVideoShim
#endif

/// A library that decodes, as it is at run time: what differs between its versions is asked here.
package enum CodecLibrary: Sendable {
    case avif
    case heif
    case jpegXL
    case rsvg
    case ffmpeg

    /// The numbers of a version.
    package struct Version: Comparable, CustomStringConvertible, Sendable {
        let major: Int
        let minor: Int

        package init(_ major: Int, _ minor: Int) {
            (self.major, self.minor) = (major, minor)
        }

        package static func < (left: Version, right: Version) -> Bool {
            (left.major, left.minor) < (right.major, right.minor)
        }

        package var description: String { "\(major).\(minor)" }
    }

    /// The library's name.
    package var name: String {
        switch self {
        case .avif: "libavif"
        case .heif: "libheif"
        case .jpegXL: "libjxl"
        case .rsvg: "librsvg"
        case .ffmpeg: "libavformat"
        }
    }

    /// `nil` in a build without the library, and where one that is loaded on first use is not installed.
    package var version: Version? {
        switch self {
        case .avif:
            let number = Int(halcyon_avif_version())
            return Version(number / 1_000_000, number / 10_000 % 100)
        case .heif:
            #if HEIC
            let number = Int(heif_get_version_number())
            return Version(number >> 24, number >> 16 & 255)
            #else
            return nil
            #endif
        case .jpegXL:
            #if JPEGXL
            // 7,000 is 0.7.
            let number = Int(JxlDecoderVersion())
            return Version(number / 1_000_000, number / 1_000 % 1_000)
            #else
            return nil
            #endif
        case .rsvg:
            #if SVG
            return halcyon_svg_library().map { library in
                Version(Int(library.pointee.major_version), Int(library.pointee.minor_version))
            }
            #else
            return nil
            #endif
        case .ffmpeg:
            #if Video
            let number = Int(halcyon_video_library_version())
            return number == 0 ? nil : Version(number >> 16, number >> 8 & 255)
            #else
            return nil
            #endif
        }
    }

    /// Returns whether it is there, and older than a version.
    package func isOlder(than version: Version) -> Bool {
        self.version.map { $0 < version } ?? false
    }
}
