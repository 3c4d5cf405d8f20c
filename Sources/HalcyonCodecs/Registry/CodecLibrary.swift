internal import CAVIFShim

/// A library that decodes, as it is at run time: what differs between its versions is asked here.
package struct CodecLibrary: Hashable, Sendable {
    /// The numbers of a version.
    package struct Version: Comparable, Hashable, CustomStringConvertible, Sendable {
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
    package let name: String
    /// `nil` where one that is loaded on first use is not installed.
    package let version: Version?

    package init(name: String, version: Version?) {
        (self.name, self.version) = (name, version)
    }

    /// libavif, which this loads.
    package static var avif: CodecLibrary {
        CodecLibrary(
            name: "libavif",
            version: halcyon_avif_library().map { _ in
                let number = Int(halcyon_avif_version())
                return Version(number / 1_000_000, number / 10_000 % 100)
            }
        )
    }

    /// A Boolean value that indicates whether it could be loaded.
    package var isInstalled: Bool { version != nil }

    /// Returns whether it is there, and older than a version.
    package func isOlder(than version: Version) -> Bool {
        self.version.map { $0 < version } ?? false
    }
}

/// A decoder or an encoder that needs a library which is loaded on first use.
package protocol LibraryCodec {
    /// The library. Asking for it loads it.
    var library: CodecLibrary { get }
}

extension ImageCodecs {
    /// Returns the library that keeps images of a format from being read or written here, because it is not installed; `nil`
    /// if there is none.
    package func missingLibrary(of format: ImageFormat) -> CodecLibrary? {
        // What is HEIF by its brands is read by the decoder of HEIC.
        let format = format == .heif ? .heic : format
        let codecs: [Any] = decoders.filter { $0.format == format } + encoders.filter { $0.format == format }
        return codecs.lazy.compactMap { ($0 as? any LibraryCodec)?.library }.first { !$0.isInstalled }
    }
}

/// The functions of libavif. What begins to use it, ``AVIFReader`` and ``AVIFWriter``, is not created where it is not
/// installed.
let libavif: HalcyonAVIFLibrary = {
    guard let library = halcyon_avif_library() else { preconditionFailure("libavif is used where it is not installed") }
    return library.pointee
}()
