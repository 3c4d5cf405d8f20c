package import FoundationEssentials

/// The texts in a PNG file (tEXt, zTXt and iTXt; W3C PNG, 11.3.3), such as those of thumbnails.
package enum PNGText {
    /// Returns the texts by their keywords; of several with one keyword the first. Chunks that are damaged, or have more
    /// text than there is room for, are left out, and those after too many of them.
    ///
    /// - Parameters:
    ///   - data: The file.
    ///   - limit: The most bytes of all texts together, so that a small file with many compressed texts takes neither
    ///     memory nor time without a bound; of a compressed text at most 4 MiB. Default: 4 MiB.
    /// - Throws: ``CodecError/empty``, ``CodecError/truncated(_:)``, ``CodecError/corrupt(_:reason:)`` where the bytes
    ///   do not begin as a PNG does.
    package static func texts(in data: Data, limit: Int = 4 << 20) throws(CodecError) -> [String: String] {
        let result = data.withUnsafeBytes { bytes in
            Result { () throws(CodecError) -> [String: String] in
                var texts: [String: String] = [:]
                var room = limit
                var reader = try PNGFile.start(bytes)
                while room >= 0, case .chunk(let chunk)? = try? reader.next(), chunk.type != .imageEnd {
                    guard [.text, .compressedText, .internationalText].contains(chunk.type), reader.isIntact(chunk)
                    else {
                        continue
                    }
                    let payload = UnsafeRawBufferPointer(rebasing: bytes[chunk.range])
                    guard let (keyword, text) = text(chunk.type, payload, limit: room) else {
                        // Reading it may have taken as long as reading one that is not damaged.
                        room -= limit / 16
                        continue
                    }
                    room -= text.utf8.count
                    if texts[keyword] == nil { texts[keyword] = text }
                }
                return texts
            }
        }
        return try result.get()
    }

    private static func text(
        _ type: PNGChunkType,
        _ payload: UnsafeRawBufferPointer,
        limit: Int
    ) -> (keyword: String, text: String)? {
        // A keyword of up to 79 bytes, and its end.
        guard let end = payload.prefix(80).firstIndex(of: 0), end > 0 else {
            return nil
        }
        let keyword = latin1(payload[..<end])
        let rest = UnsafeRawBufferPointer(rebasing: payload[(end + 1)...])
        switch type {
        case .text:
            guard rest.count <= limit else {
                return nil
            }
            return (keyword, latin1(rest[...]))
        case .compressedText:
            // The number of the compression method comes first.
            guard rest.first == 0,
                let text = try? PNGInflater.profile(UnsafeRawBufferPointer(rebasing: rest.dropFirst())),
                text.count <= limit
            else {
                return nil
            }
            return (keyword, latin1(text))
        default:
            return internationalText(rest, limit: limit).map { (keyword, $0) }
        }
    }

    /// The parts: a flag of compression, its method, language, end, translated keyword, end, text in UTF-8.
    private static func internationalText(_ payload: UnsafeRawBufferPointer, limit: Int) -> String? {
        guard payload.count >= 2, let language = payload[2...].firstIndex(of: 0),
            let translation = payload[(language + 1)...].firstIndex(of: 0)
        else {
            return nil
        }
        let text = UnsafeRawBufferPointer(rebasing: payload[(translation + 1)...])
        guard payload[0] == 1 else {
            return text.count <= limit ? String(decoding: text, as: UTF8.self) : nil
        }
        guard let inflated = try? PNGInflater.profile(text), inflated.count <= limit else {
            return nil
        }
        return String(decoding: inflated, as: UTF8.self)
    }

    /// Returns a text of ISO 8859-1, whose code points are its bytes.
    private static func latin1(_ bytes: some Sequence<UInt8>) -> String {
        String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}
