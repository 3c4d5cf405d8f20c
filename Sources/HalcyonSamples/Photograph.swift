import FoundationEssentials
import HalcyonCodecs
import HalcyonRaster

/// One sample: a file name, the size a person sees, and how its bytes are made.
struct Photograph: Sendable {
    let name: String
    let size: PixelSize
    private let encode: @Sendable (PixelSize) async throws -> Data

    /// A still image of a scene.
    ///
    /// - Parameter samplesPerSide: 1 is enough where the pixels outnumber those of a screen.
    init(
        _ name: String,
        _ size: PixelSize,
        scene: some Scene,
        encoder: some ImageEncoder,
        options: EncodeOptions = EncodeOptions(),
        isOpaque: Bool = true,
        samplesPerSide: Int = 2
    ) {
        self.init(name, size) { size in
            let canvas = Canvas(size, samplesPerSide: samplesPerSide)
            return try encoder.encode(await canvas.draw(scene, isOpaque: isOpaque), options: options)
        }
    }

    /// An image whose bytes are made by a function of its own.
    init(_ name: String, _ size: PixelSize, encode: @escaping @Sendable (PixelSize) async throws -> Data) {
        self.name = name
        self.size = size
        self.encode = encode
    }

    /// The bytes of the file.
    func encoded() async throws -> Data {
        try await encode(size)
    }

    /// The same image with sides `divisor` times smaller.
    func reduced(by divisor: Int) -> Photograph {
        Photograph(name, PixelSize(size.width / divisor, size.height / divisor), encode: encode)
    }
}
