package import FoundationEssentials
package import HalcyonRaster

/// Writes a GIF 89a frame by frame, each of the canvas's size.
///
/// The palette of the first frame is the file's; a frame with other colours brings its own.
package struct GIFWriter {
    private let size: PixelSize
    private let loopCount: Int
    private let storesDifferences: Bool
    private var previous: Bitmap?
    private var data = Data()
    private var globalColors: [UInt32] = []
    /// The offset of the flags of the last frame's graphic control, to change its disposal afterwards.
    private var lastControlFlags: Int?

    /// A file without frames.
    ///
    /// - Parameters:
    ///   - size: That of the canvas and of each frame.
    ///   - loopCount: The number of times that the animation plays, 0 for without end, at most 65,536. Default: 1, which
    ///     is also that of a still image.
    ///   - storesDifferences: Whether of each frame only the rectangle that differs from the one before is stored. All
    ///     frames must be opaque then. Default: `false`.
    /// - Throws: ``CodecError/cannotEncode(_:reason:)`` where a side is 0 or has more than 65,535 pixels.
    package init(
        size: PixelSize,
        loopCount: Int = 1,
        storesDifferences: Bool = false
    ) throws(CodecError) {
        guard !size.isEmpty, size.width <= 0xFFFF, size.height <= 0xFFFF else {
            throw .cannotEncode(.gif, reason: "sides have 1 to 65,535 pixels, not \(size)")
        }
        self.size = size
        self.loopCount = loopCount
        self.storesDifferences = storesDifferences
    }

    /// Appends a frame.
    ///
    /// - Parameter delay: Milliseconds the frame stays, stored in steps of 10.
    /// - Throws: ``CodecError/cannotEncode(_:reason:)`` where the size is not the canvas's, ``CodecError/bitmap(_:)``
    ///   where the memory cannot be had.
    package mutating func append(_ bitmap: Bitmap, delay: Int = 0) throws(CodecError) {
        guard bitmap.size == size else {
            throw .cannotEncode(.gif, reason: "a frame has \(bitmap.size) pixels on a canvas of \(size)")
        }
        let area = previous.map { bitmap.areaThatDiffers(from: $0) } ?? PixelRect(size: size)
        previous = storesDifferences ? bitmap : nil
        let part = try bitmap.part(area)
        let image: GIFIndexedImage
        do {
            image = try GIFIndexedImage(part)
        } catch {
            throw .bitmap(error)
        }
        if data.isEmpty {
            appendHeader(image.colors)
        }
        appendControl(image.transparentIndex, delay: delay)
        appendImage(image, area)
    }

    /// The whole file.
    ///
    /// - Throws: ``CodecError/cannotEncode(_:reason:)`` where there is no frame.
    package func finish() throws(CodecError) -> Data {
        guard !data.isEmpty else {
            throw .cannotEncode(.gif, reason: "there is no frame")
        }
        return data + [0x3B]
    }

    private mutating func appendHeader(_ colors: [UInt32]) {
        globalColors = colors
        data.append(contentsOf: "GIF89a".utf8)
        append(number: size.width)
        append(number: size.height)
        let bits = GIFWriter.bits(for: colors)
        data.append(contentsOf: [0x80 | 0x70 | UInt8(bits - 1), 0, 0])
        append(colors)
        // The file has the number of repetitions, and nothing where there are none.
        if loopCount != 1 {
            data.append(contentsOf: [0x21, 0xFF, 11])
            data.append(contentsOf: "NETSCAPE2.0".utf8)
            data.append(contentsOf: [3, 1])
            append(number: min(max(loopCount - 1, 0), 0xFFFF))
            data.append(0)
        }
    }

    private mutating func appendControl(_ transparentIndex: UInt8?, delay: Int) {
        if let lastControlFlags, transparentIndex != nil {
            // The frame before must go first, or it would shine through.
            data[lastControlFlags] = data[lastControlFlags] & ~0x1C | 2 << 2
        }
        data.append(contentsOf: [0x21, 0xF9, 4])
        lastControlFlags = data.count
        // Disposal 1: the frame stays. Bit 0: there is a transparent colour.
        data.append(1 << 2 | (transparentIndex == nil ? 0 : 1))
        append(number: min((max(delay, 0) / 5 + 1) / 2, 0xFFFF))
        data.append(contentsOf: [transparentIndex ?? 0, 0])
    }

    private mutating func appendImage(_ image: GIFIndexedImage, _ area: PixelRect) {
        data.append(0x2C)
        append(number: area.origin.x)
        append(number: area.origin.y)
        append(number: area.size.width)
        append(number: area.size.height)
        let bits = GIFWriter.bits(for: image.colors)
        if image.colors == globalColors {
            data.append(0)
        } else {
            data.append(0x80 | UInt8(bits - 1))
            append(image.colors)
        }
        // The specification asks for 2 where one bit would do.
        let minimumCodeSize = max(2, bits)
        data.append(UInt8(minimumCodeSize))
        var encoder = GIFLZWEncoder(minimumCodeSize: minimumCodeSize)
        let codes = encoder.encode(image.indices)
        for start in stride(from: 0, to: codes.count, by: 255) {
            let block = codes[start..<min(start + 255, codes.count)]
            data.append(UInt8(block.count))
            data.append(contentsOf: block)
        }
        data.append(0)
    }

    /// A palette has 2, 4, 8, … 256 entries; those that are not needed are black.
    private mutating func append(_ colors: [UInt32]) {
        for index in 0..<1 << GIFWriter.bits(for: colors) {
            let color = index < colors.count ? colors[index] : 0
            data.append(contentsOf: [0, 8, 16].map { UInt8(truncatingIfNeeded: color >> $0) })
        }
    }

    private mutating func append(number: Int) {
        data.append(UInt8(truncatingIfNeeded: number))
        data.append(UInt8(truncatingIfNeeded: number >> 8))
    }

    private static func bits(for colors: [UInt32]) -> Int {
        (1...8).first { 1 << $0 >= colors.count } ?? 8
    }
}
