import FoundationEssentials
import HalcyonRaster
import Testing

@testable import HalcyonCodecs
@testable import HalcyonTIFF

@Suite("Fax in TIFF")
struct TIFFFaxTests {
    /// Rows of 19 pixels that need every kind of code: runs, places one to three beside those of the row before, passed
    /// over and far away.
    private let rows = [
        "..........#........", "...................", "###################", "#..####..........##",
        "..####...........##",
        ".####....#.......##", "....####.#.#....###", "#.......####....###", "#.#.#.#.#.#.#.#.#.#",
        ".#.#.#.#.#.#.#.#.#.",
    ].map { $0.map { $0 == "#" } }

    /// A file of one strip. `photometric`: `nil` for none.
    private func file(
        _ samples: [UInt8],
        compression: Int,
        photometric: Int?,
        fillOrder: Int,
        options: Int = 0
    ) -> Data {
        var file = TIFFBytes()
        let entries = [(258, 1), (259, compression), (262, photometric), (266, fillOrder), (292, options)]
        file.addPage(
            width: 19,
            height: rows.count,
            samples: samples,
            entries.map { TIFFBytes.Entry(tag: $0, type: 4, values: $1.map { [$0] } ?? []) }
        )
        return file.data
    }

    /// Whether each pixel is black; the others must be white.
    private func darkness(_ data: Data) throws -> [[Bool]] {
        let image = try TIFFDecoder().decode(data, options: DecodeOptions(), isCancelled: { false })
        #expect(image.info == ImageInfo(format: .tiff, size: PixelSize(19, rows.count), bitDepth: 1, colorSpace: .gray))
        return try (0..<image.size.height).map { y in
            try (0..<image.size.width).map { x in
                let pixel = image.bitmap[x, y]
                try #require(pixel == [0, 0, 0, 255] || pixel == [255, 255, 255, 255])
                return pixel[0] == 0
            }
        }
    }

    @Test(
        "dark runs are black with both bit orders, and white where the file says so",
        arguments: FaxBits.Scheme.allCases,
        [1, 2]
    )
    func schemes(_ scheme: FaxBits.Scheme, fillOrder: Int) throws {
        let fax = FaxBits(rows, as: scheme)
        for photometric in [0, 1, nil] {
            let data = file(
                fax.bytes(fillOrder: fillOrder),
                compression: fax.compression,
                photometric: photometric,
                fillOrder: fillOrder,
                options: fax.options
            )
            let expected = photometric == 1 ? rows.map { $0.map(!) } : rows
            #expect(
                try darkness(data) == expected,
                "photometric interpretation \(photometric.map(String.init) ?? "none")"
            )
        }
    }

    @Test("a fax that is damaged within is partial, though libtiff goes on")
    func damagedWithin() throws {
        let fax = FaxBits(rows, as: .group4)
        let bytes = fax.bytes(fillOrder: 1)
        // No code begins with so many zeros.
        let damaged = bytes.prefix(bytes.count / 2) + [UInt8](repeating: 0, count: 8)
        let data = file(
            Array(damaged),
            compression: fax.compression,
            photometric: 0,
            fillOrder: 1,
            options: fax.options
        )
        let decoder = TIFFDecoder()
        #expect(try decoder.decode(data, options: DecodeOptions(), isCancelled: { false }).isPartial)
        #expect(throws: CodecError.self) {
            try decoder.decode(data, options: DecodeOptions(damage: .isRefused), isCancelled: { false })
        }
    }

    @Test("bits without compression are in the order that the file says", arguments: [1, 2])
    func uncompressed(fillOrder: Int) throws {
        let samples = rows.flatMap { row in
            stride(from: 0, to: row.count, by: 8).map { start in
                row[start...].prefix(8).enumerated().reduce(UInt8(0)) { byte, bit in
                    byte | (bit.element ? 1 << (fillOrder == 2 ? bit.offset : 7 - bit.offset) : 0)
                }
            }
        }
        #expect(try darkness(file(samples, compression: 1, photometric: 0, fillOrder: fillOrder)) == rows)
        let light = rows.map { $0.map(!) }
        #expect(try darkness(file(samples, compression: 1, photometric: 1, fillOrder: fillOrder)) == light)
        // Without a word about it, only fax is dark on white.
        #expect(try darkness(file(samples, compression: 1, photometric: nil, fillOrder: fillOrder)) == light)
    }
}
