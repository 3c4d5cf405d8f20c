internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonSystem

/// The thumbnails that the programs of a user share (Thumbnail Managing Standard 0.9.0). Reading them blocks.
struct ThumbnailFolder: Sendable {
    /// An absolute path.
    let path: String

    /// Returns the bytes of a file's thumbnail, a larger one where there is none of that size; `nil` if there is none of
    /// the state of the file.
    func thumbnail(
        of file: FileThumbnail,
        in state: FileReader.Identity,
        limit: Int,
        cancellation: CancellationFlag
    ) throws -> Data? {
        let name = file.path.text
        let filePath = FilePath.isURL(name) ? name : Self.absolutePath(name)
        // A thumbnail has none itself (section 4.1).
        guard !filePath.hasPrefix(path + "/") else { return nil }
        let uri = FilePath.isURL(filePath) ? filePath : Self.uri(of: filePath)
        let thumbnail = MD5.hexadecimal(of: Array(uri.utf8)) + ".png"
        for size in ThumbnailSize.allCases where size >= file.size {
            try cancellation.check()
            let path = "\(path)/\(size.folderName)/\(thumbnail)"
            do {
                let (data, identity) = try FileReader.read(path, limit: limit, cancellation: cancellation)
                if identity != nil, Self.isThumbnail(data, of: uri, in: state) { return data }
            } catch is FileReader.Failure {
                // There is no such thumbnail, or none that can be read.
            }
        }
        return nil
    }

    /// The last chunk of a PNG (W3C PNG, 11.2.4).
    private static let end: [UInt8] = [0, 0, 0, 0, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82]

    /// Returns whether a PNG says that it was made of a file in this state (sections 5 and 7). Of the time of
    /// modification whole seconds are written. One without its end was not written whole, and would hide the file.
    private static func isThumbnail(_ data: Data, of uri: String, in state: FileReader.Identity) -> Bool {
        guard data.suffix(end.count).elementsEqual(end), let texts = try? PNGText.texts(in: data),
            texts["Thumb::URI"] == uri,
            let seconds = texts["Thumb::MTime"]?.prefix(while: { $0 != "." }), Int(seconds) == state.modifiedSeconds
        else { return false }
        return texts["Thumb::Size"].map { Int($0) == state.byteCount } ?? true
    }

    /// Returns an absolute path without empty, "." and ".." components. Links are not followed, as those who name
    /// thumbnails don't.
    static func absolutePath(_ path: String) -> String {
        var components: [Substring] = []
        for component in FilePath.absolute(path).split(separator: "/") {
            if component == ".." {
                _ = components.popLast()
            } else {
                components.append(component)
            }
        }
        return "/" + components.joined(separator: "/")
    }

    /// Returns the URI of a file as GLib and Qt write it, whose digest is the name of the thumbnail: the unreserved
    /// characters of RFC 3986 stay as they are, and the others that GLib keeps in paths.
    static func uri(of path: String) -> String {
        let kept = Set("!$&'()*+,-./:=@_~".utf8)
        return "file://"
            + PercentEncoding.encoded(path) { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"):
                    true
                default: kept.contains(byte)
                }
            }
    }
}
