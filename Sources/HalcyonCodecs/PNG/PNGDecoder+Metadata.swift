public import FoundationEssentials

extension PNGDecoder {
    /// Reads iCCP, eXIf, and XMP in iTXt, the first of each that is intact. What is compressed may have 4 MiB.
    ///
    /// - Throws: ``CodecError/empty``, ``CodecError/truncated(_:)``, ``CodecError/corrupt(_:reason:)`` where the bytes
    ///   do not begin as a PNG does.
    public func metadata(of data: Data) throws(CodecError) -> ImageMetadata {
        let result = data.withUnsafeBytes { bytes in
            Result { () throws(CodecError) -> ImageMetadata in
                var metadata = ImageMetadata()
                var reader = try PNGFile.start(bytes)
                while case .chunk(let chunk)? = try? reader.next(), chunk.type != .imageEnd {
                    let isWanted = [.colorProfile, .exif, .internationalText].contains(chunk.type)
                    guard isWanted, reader.isIntact(chunk) else {
                        continue
                    }
                    metadata.take(chunk.type, UnsafeRawBufferPointer(rebasing: bytes[chunk.range]))
                }
                return metadata
            }
        }
        return try result.get()
    }
}

extension ImageMetadata {
    fileprivate mutating func take(_ type: PNGChunkType, _ payload: UnsafeRawBufferPointer) {
        switch type {
        case .colorProfile where iccProfile == nil:
            // A name of up to 79 bytes, its end, and the number of the compression method (PNG, 11.3.2.3).
            guard let end = payload.prefix(80).firstIndex(of: 0), end + 2 <= payload.count else {
                return
            }
            iccProfile = PNGInflater.profile(UnsafeRawBufferPointer(rebasing: payload[(end + 2)...]))
        case .exif where exif == nil:
            exif = Data(EXIF.tiff(of: Data(payload)))
        case .internationalText where xmp == nil:
            xmp = Self.xmp(payload)
        default:
            break
        }
    }

    /// Keyword, end, whether it is compressed, method, language, end, translated keyword, end, text (PNG, 11.3.3.4).
    private static func xmp(_ payload: UnsafeRawBufferPointer) -> Data? {
        let keyword = Array(PNGChunkWriter.xmpKeyword.utf8) + [0]
        guard payload.starts(with: keyword), payload.count >= keyword.count + 2 else {
            return nil
        }
        let isCompressed = payload[keyword.count] == 1
        guard let language = payload[(keyword.count + 2)...].firstIndex(of: 0),
            let translation = payload[(language + 1)...].firstIndex(of: 0)
        else {
            return nil
        }
        let text = UnsafeRawBufferPointer(rebasing: payload[(translation + 1)...])
        return isCompressed ? PNGInflater.profile(text) : Data(text)
    }
}
