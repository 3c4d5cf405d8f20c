internal import Glibc
internal import Halcyon
internal import HalcyonCodecs
internal import HalcyonFormats

/// The versions of the libraries that this process runs with, which need not be those that it was built with.
enum LibraryVersions {
    static var findings: [Finding] {
        let versions: [(name: String, version: String?)] = [
            ("libcurl", CurlTransport.libraryVersion),
            ("SQLite", text(of: "sqlite3_libversion")),
            ("libjpeg-turbo", file(named: "libjpeg.so")),
            ("libdeflate", file(named: "libdeflate.so")),
            ("zlib", text(of: "zlibVersion")),
            // 0xMMmmpp.
            ("libwebp", number(of: "WebPGetDecoderVersion").map { "\($0 >> 16).\($0 >> 8 & 255).\($0 & 255)" }),
            // 2140 is 2.14.
            ("Little CMS", number(of: "cmsGetEncodedCMMversion").map { "\($0 / 1000).\($0 % 1000 / 10)" }),
            ("xxHash", number(of: "XXH_versionNumber").map(decimal)),
            ("libidn2", idn2),
            ("libtiff", text(of: "TIFFGetVersion").flatMap(tiff)),
        ]
        // These are loaded by this.
        let loaded = [CodecLibrary.avif, .heif, .jpegXL, .rsvg, .ffmpeg].map { ($0.name, $0.version?.description) }
        return (versions + loaded).map { Finding(section: .libraries, name: $0.name, value: $0.version) }
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
        let encoder = codecs.encoder(for: format)
        if let missing = codecs.missingLibrary(of: format) {
            return "\(encoder == nil ? "reads" : "reads and writes") nothing: \(missing.name) is not installed"
        }
        let reading = codecs.canDecode(format) ? ["reads"] : []
        let writing = encoder == nil ? [] : encoder is any AnimationEncoder ? ["writes, animations too"] : ["writes"]
        let all = reading + writing
        return all.isEmpty ? nil : all.joined(separator: ", ")
    }
}
