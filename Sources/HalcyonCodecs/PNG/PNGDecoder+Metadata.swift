public import FoundationEssentials

extension PNGDecoder {
    /// Reads iCCP, eXIf, and XMP in iTXt, the first of each whose checksum is right. What is compressed may have 4 MiB.
    ///
    /// - Throws: ``CodecError/empty``, ``CodecError/truncated(_:)``, ``CodecError/corrupt(_:reason:)`` where the bytes
    ///   do not begin as a PNG does.
    public func metadata(of data: Data) throws(CodecError) -> ImageMetadata {
        let result = data.withUnsafeBytes { bytes in
            Result { () throws(CodecError) -> ImageMetadata in
                var metadata = ImageMetadata()
                var reader = try PNGFile.start(bytes)
                // Decompressing takes time also where nothing comes of it, so that there is one attempt of each kind.
                var attempts: Set<PNGChunkType> = []
                while case .chunk(let chunk)? = try? reader.next(), chunk.type != .imageEnd {
                    let isWanted = [.colorProfile, .exif, .internationalText].contains(chunk.type)
                    guard isWanted, !attempts.contains(chunk.type), reader.isIntact(chunk) else {
                        continue
                    }
                    if try metadata.take(chunk.type, UnsafeRawBufferPointer(rebasing: bytes[chunk.range])) {
                        attempts.insert(chunk.type)
                    }
                }
                return metadata
            }
        }
        return try result.get()
    }
}

extension ImageMetadata {
    /// Takes in a chunk; returns whether it is of a kind of which there is one only.
    fileprivate mutating func take(_ type: PNGChunkType, _ payload: UnsafeRawBufferPointer) throws(CodecError) -> Bool {
        switch type {
        case .colorProfile:
            // A name of up to 79 bytes, its end, and the number of the compression method (PNG, 11.3.2.3).
            guard let end = payload.prefix(80).firstIndex(of: 0), end + 2 <= payload.count else {
                return true
            }
            iccProfile = try PNGInflater.profile(UnsafeRawBufferPointer(rebasing: payload[(end + 2)...]))
        case .exif:
            exif = try .written(copying: EXIF.tiff(of: Data(borrowing: payload)))
        case .internationalText:
            guard payload.starts(with: Self.xmpKeyword) else {
                return false
            }
            xmp = try Self.xmp(payload)
        default:
            break
        }
        return true
    }

    private static let xmpKeyword = Array(PNGChunkWriter.xmpKeyword.utf8) + [0]

    /// Keyword, end, whether it is compressed, method, language, end, translated keyword, end, text (PNG, 11.3.3.4).
    private static func xmp(_ payload: UnsafeRawBufferPointer) throws(CodecError) -> Data? {
        let keyword = Self.xmpKeyword
        guard payload.count >= keyword.count + 2 else {
            return nil
        }
        let isCompressed = payload[keyword.count] == 1
        guard let language = payload[(keyword.count + 2)...].firstIndex(of: 0),
            let translation = payload[(language + 1)...].firstIndex(of: 0)
        else {
            return nil
        }
        let text = UnsafeRawBufferPointer(rebasing: payload[(translation + 1)...])
        return isCompressed ? try PNGInflater.profile(text) : try .written(copying: Data(borrowing: text))
    }
}
