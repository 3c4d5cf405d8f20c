import FoundationEssentials
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("Identity")
struct IdentityTests {
    @Test("of two different processings is never the same")
    func processings() {
        let size = ImageSize.pixels(40, 30)
        let chains: [ImageProcessorChain] = [
            .identity, .downsample(to: size), .resize(to: size), .resize(to: size, mode: .fill),
            .resize(to: size, mode: .stretch), .resize(to: .pixels(30, 40)), .crop(to: size),
            .crop(to: size, anchor: .topLeft), .roundCorners(radius: .points(5)),
            .roundCorners(radius: .widthFraction(5)), .roundCorners(radius: .heightFraction(5)),
            .roundCorners(radius: .points(5), corners: .top), .roundCorners(radius: .points(5), background: .white),
            .roundCorners(radius: .points(5), background: .black), .crop(to: size) |> .resize(to: size),
            .resize(to: size) |> .crop(to: size), .crop(to: size) |> .crop(to: size),
        ]
        let variants = chains.map { ImageKey.Variant.of(decode: DecodePolicy(), processing: $0)?.bytes }
        #expect(Set(variants).count == chains.count)
        #expect(Set(chains).count == chains.count)
    }

    @Test("is not changed by joining the empty chain")
    func neutral() {
        let chain: ImageProcessorChain = .crop(to: .pixels(4, 4))
        #expect(chain |> .identity == chain)
        #expect(.identity |> chain == chain)
        #expect(ImageKey.Variant.of(decode: DecodePolicy(), processing: .identity) == nil)
    }

    @Test("of an original cannot be mistaken for one with a variant")
    func noCollisions() {
        let variant = ImageKey.Variant.of(decode: DecodePolicy(), processing: .crop(to: .pixels(4, 4)))
        let plain = ImageKey(original: OriginalKey(text: "a"), variant: variant)
        let suffix = plain.processedDiskKey.dropFirst(plain.originalDiskKey.count)
        let names = ["a", "a\(suffix)", "a@b", "a|>b", "a\0", "", "1 a", "../a", "é", "e\u{301}"]
        let keys = names.flatMap { name -> [String] in
            let key = ImageKey(original: OriginalKey(text: name), variant: variant)
            return [key.originalDiskKey, key.processedDiskKey]
        }
        // Compared by bytes, as the disk does.
        #expect(Set(keys.map { Array($0.utf8) }).count == keys.count)
        for name in names {
            let key = ImageKey(original: OriginalKey(text: name), variant: variant)
            #expect(Array(ParsedDiskKey(key.processedDiskKey).original.utf8) == Array(name.utf8))
            #expect(ParsedDiskKey(key.processedDiskKey).isProcessed)
            #expect(!ParsedDiskKey(key.originalDiskKey).isProcessed)
        }
    }

    @Test("of text that only looks the same is different")
    func canonicalEquivalence() {
        let composed = ImageKey(original: OriginalKey(text: "\u{E9}"), variant: nil)
        let decomposed = ImageKey(original: OriginalKey(text: "e\u{301}"), variant: nil)
        #expect(composed != decomposed)
    }

    @Test("lent for a look-up is that of the key itself, for names of every length")
    func lent() {
        let variant = ImageKey.Variant.of(decode: DecodePolicy(), processing: .crop(to: .pixels(4, 4)))
        for count in 0..<70 {
            let name = String(repeating: "n", count: count)
            for variant in [nil, variant] {
                let key = ImageKey(original: OriginalKey(text: name), variant: variant)
                let other = ImageKey(original: OriginalKey(text: "\(name.dropLast())m"), variant: variant)
                var text = name
                text.withUTF8 { bytes in
                    let lent = ImageKey(lent: bytes, variant: variant.map(Unmanaged.passUnretained))
                    #expect(lent == key && lent.hashValue == key.hashValue)
                    #expect(lent != other && lent.hashValue != other.hashValue)
                }
                #expect(key.original == OriginalKey(text: name))
            }
            let plain = ImageKey(original: OriginalKey(text: name), variant: nil)
            let processed = ImageKey(original: OriginalKey(text: name), variant: variant)
            #expect(plain != processed && plain.hashValue != processed.hashValue)
            #expect(plain.hasOriginal(of: processed) && plain.originalBegins(with: String(name.prefix(3))))
        }
    }

    @Test("spreads over tables: names that differ in one place differ in the low and in the high bits of their hashes")
    func hashes() {
        let names = (0..<4_096).map { "https://images.example.com/\($0)/large.jpg" } + (0..<4_096).map { "\($0)" }
        let hashes = names.map { ImageKey(original: OriginalKey(text: $0), variant: nil).hashValue }
        // Of 8,192 places, 37 % stay empty when as many values are spread at random.
        #expect(Set(hashes).count == names.count)
        #expect(Set(hashes.map { $0 & 8_191 }).count > 4_500)
        #expect(Set(hashes.map { UInt(bitPattern: $0) >> 51 }).count > 4_500)
    }

    @Test("of options is by value: a copy that is changed leaves the others as they were")
    func options() {
        let first = ImageOptions()
        var second = first
        second.cache.reads = .memory
        let third = second
        second.priority = .high
        #expect(first == ImageOptions() && first.cache.reads == .all)
        #expect(third.cache.reads == .memory && third.priority == .normal)
        #expect(first != third && third != second)
        second.priority = .normal
        #expect(second == third && second.hashValue == third.hashValue)
    }

    @Test("of a frame, of colours and depth, and of a processor's version is in the key")
    func everythingCounts() {
        var second = DecodePolicy()
        second.frame = 1
        var (stored, wide, embedded) = (DecodePolicy(), DecodePolicy(), DecodePolicy())
        var whole = DecodePolicy()
        whole.damage = .isRefused
        stored.color = .asStored
        wide.keepsSixteenBits = true
        embedded.usesEmbeddedThumbnail = true
        let keys = [
            ImageKey.Variant.of(decode: stored, processing: .identity),
            ImageKey.Variant.of(decode: wide, processing: .identity),
            ImageKey.Variant.of(decode: embedded, processing: .identity),
            ImageKey.Variant.of(decode: whole, processing: .identity),
            ImageKey.Variant.of(decode: DecodePolicy(), processing: ImageProcessorChain(VersionOne())),
            ImageKey.Variant.of(decode: DecodePolicy(), processing: ImageProcessorChain(VersionTwo())),
            ImageKey.Variant.of(decode: second, processing: .identity),
            ImageKey.Variant.of(decode: DecodePolicy(), processing: .identity),
        ]
        #expect(Set(keys.map { $0?.bytes }).count == 8)
    }

    @Test("of numbers is by value")
    func numbers() {
        func bytes(_ value: Double) -> [UInt8] {
            var encoder = CacheKeyEncoder()
            encoder.encode(value)
            return encoder.bytes
        }
        #expect(bytes(0) == bytes(-0.0))
        #expect(bytes(.nan) == bytes(-.nan))
        #expect(bytes(0.1) != bytes(0.1.nextUp))
    }

    @Test("of a local file changes with the file")
    func files() async throws {
        let test = TestPipeline()
        let path = TestPipeline.temporaryPath() + ".png"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Sample.png(seed: 1).write(to: URL(filePath: path), options: .atomic)
        #expect(try await test.pipeline.response(for: ImageRequest(.file(path))).source == .file)
        #expect(try await test.pipeline.response(for: ImageRequest(.file(path))).source == .memory)
        try Sample.png(seed: 2).write(to: URL(filePath: path), options: .atomic)
        let changed = try await test.pipeline.response(for: URL(filePath: path))
        #expect(changed.source == .file)
        #expect(changed.image.bitmap.pixel(0, 0)[0] == 2)
        await test.settle()
        #expect(try await test.pipeline.cache.diskStatistics().count == 0)
    }

    private struct VersionOne: ImageProcessing {
        func encodeParameters(into encoder: inout CacheKeyEncoder) {}

        func process(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) throws -> DecodedImage { image }
    }

    private struct VersionTwo: ImageProcessing {
        static let version = 2

        func encodeParameters(into encoder: inout CacheKeyEncoder) {}

        func process(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) throws -> DecodedImage { image }
    }
}
