import FoundationEssentials
import HalcyonRaster
import Testing

@testable import HalcyonCodecs
@testable import HalcyonHEIC

@Suite("The sizes in the parameter sets of HEIC files")
struct HEICParameterSetTests {
    /// The unit of `HEICBytes.plain` that says 64 × 64, as it stands in the file, has this many bytes.
    private static let unitByteCount = 42

    /// A unit with this size, that ends there; the profile is that of `HEICBytes.plain`.
    private func unit(_ width: Int, _ height: Int, layer: UInt8 = 0) -> [UInt8] {
        let beginning: [UInt8] = [
            0x42, layer << 3 | 1, 1, 3, 0x70, 0, 0, 3, 0, 0x90, 0, 0, 3, 0, 0, 3, 0, 0x1e,
        ]
        let bits = "1010" + [width, height].map(exponential).joined()
        let padded = bits + String(repeating: "1", count: (Self.unitByteCount - beginning.count) * 8 - bits.count)
        return beginning
            + stride(from: 0, to: padded.count, by: 8).compactMap { UInt8(padded.dropFirst($0).prefix(8), radix: 2) }
    }

    private func exponential(_ value: Int) -> String {
        let bits = String(value + 1, radix: 2)
        return String(repeating: "0", count: bits.count - 1) + bits
    }

    private func decode(_ data: Data) throws -> DecodedImage {
        try HEICDecoder().decode(data, options: DecodeOptions(), isCancelled: { false })
    }

    @Test("a size far beyond what the boxes say is refused, in the configuration and among the images")
    func largeSizes() throws {
        var inConfiguration = AVIFBytes(HEICBytes.plain)
        let known = try #require(HEICBytes.plain.firstRange(of: Data(unit(64, 64).prefix(18)))).lowerBound
        inConfiguration.set(unit(16_384, 8_192), at: known)
        var inStream = AVIFBytes(HEICBytes.plain)
        let content = try inStream.start(ofBox: "mdat") + 8
        inStream.set([0, 0, 0, UInt8(Self.unitByteCount)] + unit(16_384, 8_192), at: content)
        let refused = CodecError.corrupt(
            .heic,
            reason: "an image of \(PixelSize(64, 64)) is coded as \(PixelSize(16_384, 8_192))"
        )
        for file in [inConfiguration, inStream] {
            #expect(throws: refused) { try decode(file.data) }
        }
        // Of another layer, which is not decoded.
        inConfiguration.set(unit(16_384, 8_192, layer: 1), at: known)
        #expect {
            try decode(inConfiguration.data)
        } throws: {
            $0 as? CodecError != refused
        }
    }

    @Test("sizes are read behind profiles of lower layers, and units that end too early are unreadable")
    func parameterSets() {
        func stream(_ unit: [UInt8]) -> Data { Data([0, 0, 0, UInt8(unit.count)] + unit) }
        #expect(HEVCParameterSets(inStream: stream(unit(64, 48))).size == .known(PixelSize(64, 48)))
        let two = stream(unit(64, 48)) + stream(unit(8, 80))
        #expect(HEVCParameterSets(inStream: two).size == .known(PixelSize(64, 80)))
        #expect(HEVCParameterSets(inStream: stream([0x40, 1, 1])).size == .none)
        for count in 2..<22 {
            #expect(HEVCParameterSets(inStream: stream(Array(unit(64, 48).prefix(count)))).size == .unreadable)
        }
        // Two lower layers: the first with profile and level, the second with its level.
        var layered = unit(64, 48)
        layered[2] = 0b0101
        layered.insert(contentsOf: [0b1101_0000, 0] + [UInt8](repeating: 0x55, count: 11 + 1 + 1), at: 18)
        #expect(HEVCParameterSets(inStream: stream(layered)).size == .known(PixelSize(64, 48)))
    }

    @Test("planes are read with what is cropped, their sampling and their depths")
    func layouts() throws {
        func layout(_ bits: String) -> CodedLayout {
            let all = "1010" + bits + String(repeating: "1", count: 64)
            let bytes = stride(from: 0, to: all.count - 7, by: 8).compactMap {
                UInt8(all.dropFirst($0).prefix(8), radix: 2)
            }
            let unit = Array(self.unit(64, 64).prefix(18)) + bytes
            return HEVCParameterSets(inStream: Data([0, 0, 0, UInt8(unit.count)] + unit)).layout
        }
        // Those of `unit(_:_:)` begin with an identifier of 0 and 4:2:0, as these do without the first of them.
        let size = exponential(64) + exponential(48)
        func known(_ width: Int, _ height: Int, _ depths: [Int]) -> CodedLayout {
            .known(PlaneLayout(size: PixelSize(width, height), chroma: 1, depths: depths))
        }
        #expect(layout(size + "0" + exponential(0) + exponential(0)) == known(64, 48, [8, 8]))
        #expect(layout(size + "0" + exponential(2) + exponential(4)) == known(64, 48, [10, 12]))
        let window = [1, 2, 3, 4].map(exponential).joined()
        #expect(layout(size + "1" + window + exponential(0) + exponential(0)) == known(58, 34, [8, 8]))
        var two = known(64, 48, [8, 8])
        two.merge(known(64, 48, [8, 8]))
        #expect(two == known(64, 48, [8, 8]))
        two.merge(known(64, 48, [10, 8]))
        #expect(two == .contradictory)
    }

    @Test("the planes of AV1 are read from what our encoder writes", arguments: [3, 1])
    func layoutsOfAV1(_ chroma: Int) throws {
        let encoder = QuickAVIFEncoder(chromaSampling: chroma == 3 ? .yuv444 : .yuv420)
        let file = try encoder.encode(.sample(PixelSize(24, 16)), options: EncodeOptions(quality: 80))
        let content = Data(try HEIFFixture.box("mdat", of: file).payload)
        let configuration = Data(try HEIFFixture.box("av1C", of: file).payload)
        let expected = PlaneLayout(size: PixelSize(24, 16), chroma: chroma == 3 ? 3 : 1, depths: [8, 8])
        #expect(
            AV1Units(ofItem: content, configuration: configuration, includesFrames: true).layout == .known(expected)
        )
        #expect(
            AV1Units(ofItem: content.prefix(6), configuration: Data(), includesFrames: true).layout != .known(expected)
        )
    }

    @Test("limits hold for large tiles, and many tiles of a small image are refused", arguments: [1, 4, 5])
    func tiles(_ tileCount: Int) throws {
        for (side, limits, error) in [
            (
                1_024, DecodeLimits(pixelCount: 1_000),
                tileCount == 5 ? CodecError.corrupt(.heic, reason: "its parts have far more pixels than it has") : nil
            ),
            (
                2_000, DecodeLimits(pixelCount: 3_999_999),
                .limitExceeded(.heic, .pixelCount(PixelSize(2_000, 2_000), maximum: 3_999_999))
            ),
        ] {
            let meta = grid(of: tileCount, side: side)
            let items = HEIFCodedItems(
                ByteReader(meta),
                meta: 0..<meta.count,
                of: 2,
                format: .heic,
                includesFrames: true
            )
            if let error {
                #expect(throws: error) { try items.check(2, size: PixelSize(16, 16), limits: limits) }
            } else {
                try items.check(2, size: PixelSize(16, 16), limits: limits)
            }
        }
    }

    /// A `meta` box in which item 2 consists of item 1, as often as is said.
    private func grid(of count: Int, side: Int) -> Data {
        func box(_ type: String, _ payload: [UInt8]) -> [UInt8] {
            let size = payload.count + 8
            return [0, 0, UInt8(size >> 8), UInt8(size & 255)] + Array(type.utf8) + payload
        }
        let sides = [UInt8](repeating: 0, count: 2) + [UInt8(side >> 8), UInt8(side & 255)]
        let set = unit(side, side)
        let configuration = [UInt8](repeating: 0, count: 22) + [1, 33, 0, 1, 0, UInt8(set.count)] + set
        let properties = box("ispe", [0, 0, 0, 0] + sides + sides) + box("hvcC", configuration)
        let associations: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 2, 1, 2]
        let parts: [UInt8] = [0, 2, 0, UInt8(count)] + (0..<count * 2).map { UInt8($0 % 2) }
        return Data(
            [0, 0, 0, 0] + box("iprp", box("ipco", properties) + box("ipma", associations))
                + box("iref", [0, 0, 0, 0] + box("dimg", parts))
        )
    }
}
