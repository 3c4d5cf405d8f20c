import FoundationEssentials
import HalcyonRaster

@testable import HalcyonCodecs

/// Animations of eight frames on a canvas of 8 × 4 pixels, in which every way of depending on other frames occurs.
enum AnimationBytes {
    /// Palette indices of a frame: black, white, red, green.
    private static func indices(_ count: Int, _ seed: Int) -> [UInt8] {
        (0..<count).map { UInt8(($0 * 7 + seed * 3 + $0 / 3) % 4) }
    }

    static var gif: Data {
        let frames: [(disposal: UInt8, transparent: UInt8?, left: Int, top: Int, width: Int, height: Int)] = [
            (1, nil, 0, 0, 8, 4),
            (3, 1, 2, 1, 4, 2),
            (1, 2, 1, 0, 3, 4),
            (2, nil, 4, 1, 4, 3),
            // Covers everything, and is undone.
            (3, nil, 0, 0, 8, 4),
            (1, nil, 0, 0, 8, 4),
            (2, 0, 0, 0, 8, 4),
            (1, 3, 2, 2, 9, 9),
        ]
        let blocks = frames.enumerated().flatMap { number, frame in
            GIFBytes.control(disposal: frame.disposal, delay: 5, transparent: frame.transparent)
                + GIFBytes.image(
                    frame.left,
                    frame.top,
                    frame.width,
                    frame.height,
                    indices(frame.width * frame.height, number)
                )
        }
        return GIFBytes.file(GIFBytes.header(8, 4), GIFBytes.loop(0), blocks)
    }

    static var png: Data {
        let frames: [(disposal: UInt8, blending: UInt8, left: Int, top: Int, width: Int, height: Int)] = [
            (0, 0, 0, 0, 8, 4),
            (2, 1, 2, 1, 4, 2),
            (0, 1, 1, 0, 3, 4),
            (1, 0, 4, 1, 4, 3),
            (2, 0, 0, 0, 8, 4),
            (0, 0, 0, 0, 8, 4),
            (1, 1, 0, 0, 8, 4),
            (0, 0, 2, 2, 3, 1),
        ]
        var sequence = 0
        var chunks = [
            PNGBytes.header(8, 4, colorType: 6),
            PNGBytes.chunk("acTL", PNGBytes.number(frames.count) + PNGBytes.number(0)),
        ]
        for (number, frame) in frames.enumerated() {
            let place = [frame.width, frame.height, frame.left, frame.top].flatMap(PNGBytes.number)
            let control = PNGBytes.number(sequence) + place + [0, 1, 0, 20, frame.disposal, frame.blending]
            chunks.append(PNGBytes.chunk("fcTL", control))
            sequence += 1
            var rows: [UInt8] = []
            for y in 0..<frame.height {
                rows += [0] + (0..<frame.width).flatMap { x in pixel(x, y, number) }
            }
            let stream = PNGBytes.stored(rows)
            if number == 0 {
                chunks.append(PNGBytes.chunk("IDAT", stream))
            } else {
                chunks.append(PNGBytes.chunk("fdAT", PNGBytes.number(sequence) + stream))
                sequence += 1
            }
        }
        return PNGBytes.file(chunks + [PNGBytes.end])
    }

    static func webp() throws -> Data {
        // Flag 1 clears the area afterwards, 2 replaces.
        let frames: [(flags: UInt8, hasAlpha: Bool, left: Int, top: Int, width: Int, height: Int)] = [
            (0, false, 0, 0, 8, 4),
            (1, true, 2, 2, 4, 2),
            (0, true, 0, 0, 3, 4),
            (1, false, 4, 0, 4, 3),
            (2, true, 0, 0, 8, 4),
            (0, false, 0, 0, 8, 4),
            (1, true, 0, 0, 8, 4),
            (2, true, 2, 2, 3, 1),
        ]
        let chunks = try frames.enumerated().map { number, frame in
            let bitmap = try TestImages.bitmap(frame.width, frame.height) { x, y in
                let samples = pixel(x, y, number).map(Int.init)
                return (samples[0], samples[1], samples[2], frame.hasAlpha ? samples[3] : 255)
            }
            let quality = number.isMultiple(of: 3) ? 90 : nil
            let image = try WebPEncoder().encode(bitmap, options: EncodeOptions(quality: quality))
            return WebPBytes.frame(
                imageChunks(of: image),
                x: frame.left,
                y: frame.top,
                width: frame.width,
                height: frame.height,
                duration: 50,
                flags: frame.flags
            )
        }
        return WebPBytes.file(
            WebPBytes.extendedHeader(flags: 0x12, width: 8, height: 4),
            WebPBytes.animation(loopCount: 0),
            chunks.reduce(Data(), +)
        )
    }

    /// Opaque, transparent and half transparent pixels.
    private static func pixel(_ x: Int, _ y: Int, _ seed: Int) -> [UInt8] {
        let alpha = [255, 0, 128, 255, 40][(x + 2 * y + seed) % 5]
        return [UInt8(x * 30 + seed * 5), UInt8(y * 60), UInt8(seed * 30 + x), UInt8(alpha)]
    }

    /// Returns the chunks that belong into a frame: of the extended format, those behind VP8X.
    private static func imageChunks(of file: Data) -> Data {
        let chunks = WebPBytes.imageChunks(of: file)
        return chunks.starts(with: "VP8X".utf8) ? Data(chunks.dropFirst(18)) : chunks
    }
}
