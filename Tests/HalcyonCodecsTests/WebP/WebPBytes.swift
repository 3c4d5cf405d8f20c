import FoundationEssentials

/// Writes the containers of WebP files by hand, around images that an encoder made.
enum WebPBytes {
    static func file(_ chunks: Data...) -> Data {
        let body = Data("WEBP".utf8) + chunks.reduce(Data(), +)
        return Data("RIFF".utf8) + little(body.count, byteCount: 4) + body
    }

    static func chunk(_ name: String, _ payload: Data) -> Data {
        Data(name.utf8) + little(payload.count, byteCount: 4) + payload + Data(count: payload.count % 2)
    }

    /// Flags: 0x20 ICC profile, 0x10 alpha, 0x08 EXIF, 0x02 animation.
    static func extendedHeader(flags: UInt8, width: Int, height: Int) -> Data {
        let size = little(width - 1, byteCount: 3) + little(height - 1, byteCount: 3)
        return chunk("VP8X", Data([flags, 0, 0, 0]) + size)
    }

    static func animation(loopCount: Int) -> Data {
        chunk("ANIM", Data(count: 4) + little(loopCount, byteCount: 2))
    }

    /// A frame of the canvas; its position must be even. Flags: 1 clears the frame's area afterwards, 2 replaces
    /// instead of blending.
    static func frame(_ image: Data, x: Int, y: Int, width: Int, height: Int, duration: Int, flags: UInt8 = 0) -> Data {
        let place = [x / 2, y / 2, width - 1, height - 1, duration].reduce(Data()) { $0 + little($1, byteCount: 3) }
        return chunk("ANMF", place + [flags] + image)
    }

    /// The chunks of a simple file, without its RIFF header.
    static func imageChunks(of file: Data) -> Data {
        Data(file.dropFirst(12))
    }

    private static func little(_ value: Int, byteCount: Int) -> Data {
        Data((0..<byteCount).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) })
    }
}
