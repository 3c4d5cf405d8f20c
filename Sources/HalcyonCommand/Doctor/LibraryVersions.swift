internal import Glibc
internal import Halcyon
internal import HalcyonCodecs
internal import HalcyonFormats

/// The versions of the libraries that this process runs with, which need not be those that it was built with.
enum LibraryVersions {
    static var findings: [Finding] {
        let versions: [(name: String, version: String?)] = [
            ("libcurl", text(of: "curl_version").map(curl)),
            ("SQLite", text(of: "sqlite3_libversion")),
            ("libjpeg-turbo", file(named: "libjpeg.so")),
            ("libdeflate", file(named: "libdeflate.so")),
            ("zlib", text(of: "zlibVersion")),
            // 0xMMmmpp.
            ("libwebp", number(of: "WebPGetDecoderVersion").map { "\($0 >> 16).\($0 >> 8 & 255).\($0 & 255)" }),
            ("libavif", text(of: "avifVersion")),
            // 2140 is 2.14.
            ("Little CMS", number(of: "cmsGetEncodedCMMversion").map { "\($0 / 1000).\($0 % 1000 / 10)" }),
            ("xxHash", number(of: "XXH_versionNumber").map(decimal)),
            ("libidn2", idn2),
            ("libheif", text(of: "heif_get_version")),
            // 7000 is 0.7.0.
            ("libjxl", number(of: "JxlDecoderVersion").map { "\($0 / 1_000_000).\($0 / 1_000 % 1_000).\($0 % 1_000)" }),
            ("libtiff", text(of: "TIFFGetVersion").flatMap(tiff)),
            // Both are loaded by this.
            ("librsvg", CodecLibrary.rsvg.version?.description),
            ("libavformat", CodecLibrary.ffmpeg.version?.description),
        ]
        return versions.map { Finding(section: .libraries, name: $0.name, value: $0.version) }
    }

    // The types of the functions are those of the libraries' headers, which only the modules that use them include.
    private typealias Text = @convention(c) () -> UnsafePointer<CChar>?
    private typealias Number = @convention(c) () -> Int32
    private typealias Check = @convention(c) (UnsafePointer<CChar>?) -> UnsafePointer<CChar>?

    private static func text(of function: String) -> String? {
        dlsym(nil, function).flatMap { unsafeBitCast($0, to: Text.self)() }.map { String(cString: $0) }
    }

    private static func number(of function: String) -> Int? {
        dlsym(nil, function).map { Int(unsafeBitCast($0, to: Number.self)()) }
    }

    /// The version of libidn2, which is asked whether it is new enough.
    private static var idn2: String? {
        dlsym(nil, "idn2_check_version").flatMap { unsafeBitCast($0, to: Check.self)(nil) }.map { String(cString: $0) }
    }

    /// Returns the name of a loaded file, for libraries that say no version. With its links followed, as the kernel lists
    /// it, it ends in one.
    private static func file(named name: String) -> String? {
        guard let maps = KernelFile.text("/proc/self/maps") else { return nil }
        return maps.split(separator: "\n").lazy
            .compactMap { String($0).pathParts.last.map(String.init) }
            .first { $0.hasPrefix(name) }
    }

    /// "libcurl/7.88.1 OpenSSL/3.0.15 …", without its own name.
    private static func curl(_ text: String) -> String {
        text.hasPrefix("libcurl/") ? String(text.dropFirst("libcurl/".count)) : text
    }

    /// "LIBTIFF, Version 4.5.0", and lines about copyright.
    private static func tiff(_ text: String) -> String? {
        text.split(separator: "\n").first?.split(separator: " ").last.map(String.init)
    }

    /// 801 is 0.8.1.
    private static func decimal(_ number: Int) -> String { "\(number / 10_000).\(number / 100 % 100).\(number % 100)" }
}

/// The formats that can be read and written.
enum FormatFindings {
    static var all: [Finding] {
        let codecs = ImageCodecs.standard
        var formats: [ImageFormat] = []
        for format in codecs.decoders.map(\.format) + codecs.encoders.map(\.format) where !formats.contains(format) {
            formats.append(format)
        }
        return formats.sorted { $0.rawValue < $1.rawValue }.map { format in
            Finding(section: .formats, name: format.name, value: abilities(of: format, codecs))
        }
    }

    private static func abilities(of format: ImageFormat, _ codecs: ImageCodecs) -> String? {
        var abilities: [String] = []
        if codecs.canDecode(format) {
            guard let missing = missingLibrary(of: format) else {
                abilities.append("reads")
                return add(format, codecs, to: abilities)
            }
            abilities.append("reads nothing: \(missing) is not installed")
        }
        return add(format, codecs, to: abilities)
    }

    private static func add(_ format: ImageFormat, _ codecs: ImageCodecs, to abilities: [String]) -> String? {
        let encoder = codecs.encoder(for: format)
        let writing = encoder == nil ? [] : encoder is any AnimationEncoder ? ["writes, animations too"] : ["writes"]
        let all = abilities + writing
        return all.isEmpty ? nil : all.joined(separator: ", ")
    }

    /// Returns the name of the library that a format is read with, if it is loaded on first use and is not there.
    private static func missingLibrary(of format: ImageFormat) -> String? {
        let library: CodecLibrary? = format == .svg ? .rsvg : format.isVideo ? .ffmpeg : nil
        return library.flatMap { $0.version == nil ? $0.name : nil }
    }
}
