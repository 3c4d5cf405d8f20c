package import FoundationEssentials
package import HalcyonRaster
internal import HalcyonSystem

/// Writes a GIF 89a frame by frame, each of the canvas's size.
///
/// The palette of the first frame is the file's; a frame with other colours brings its own.
package struct GIFWriter {
    private let size: PixelSize
    private let loopCount: Int
    private let storesDifferences: Bool
    private var previous: Bitmap?
    private var file = GatheredBytes()
    private var globalColors: [UInt32] = []
    /// The offset of the flags of the last frame's graphic control, to change its disposal afterwards.
    /// The milliseconds by which the frames so far are told shorter than they are.
    private var owed = 0
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
    /// - Parameter delay: Milliseconds the frame stays, stored in steps of 10, at least 20 where it is more than 10.
    /// - Throws: ``CodecError/cannotEncode(_:reason:)`` where the size is not the canvas's, ``CodecError/bitmap(_:)``
    ///   where the memory cannot be had.
    package mutating func append(_ bitmap: Bitmap, delay: Int = 0) throws(CodecError) {
        guard bitmap.size == size else {
            throw .cannotEncode(.gif, reason: "a frame has \(bitmap.size) pixels on a canvas of \(size)")
        }
        let area = previous.map { bitmap.areaThatDiffers(from: $0) } ?? PixelRect(size: size)
        previous = storesDifferences ? bitmap : nil
        let part = try bitmap.part(area)
        let image = try GIFIndexedImage(part)
        if file.isEmpty {
            try appendHeader(image.colors)
        }
        try appendControl(image.transparentIndex, delay: delay)
        try appendImage(image, area)
    }

    /// The whole file.
    ///
    /// - Throws: ``CodecError/cannotEncode(_:reason:)`` where there is no frame.
    package mutating func finish() throws(CodecError) -> Data {
        guard !file.isEmpty else {
            throw .cannotEncode(.gif, reason: "there is no frame")
        }
        try file.add([0x3B])
        return file.data
    }

    private mutating func appendHeader(_ colors: [UInt32]) throws(CodecError) {
        globalColors = colors
        var header = Array("GIF89a".utf8) + Self.bytes(of: size.width) + Self.bytes(of: size.height)
        let bits = GIFWriter.bits(for: colors)
        header += [0x80 | 0x70 | UInt8(bits - 1), 0, 0]
        header += Self.bytes(of: colors)
        // The file has the number of repetitions, and nothing where there are none.
        if loopCount != 1 {
            header += [0x21, 0xFF, 11]
            header += Array("NETSCAPE2.0".utf8)
            header += [3, 1]
            header += Self.bytes(of: min(max(loopCount - 1, 0), 0xFFFF))
            header.append(0)
        }
        try file.add(header)
    }

    private mutating func appendControl(_ transparentIndex: UInt8?, delay: Int) throws(CodecError) {
        if let lastControlFlags, transparentIndex != nil {
            // The frame before must go first, or it would shine through.
            file[lastControlFlags] = file[lastControlFlags] & ~0x1C | 2 << 2
        }
        lastControlFlags = file.count + 3
        // Disposal 1: the frame stays. Bit 0: there is a transparent colour.
        let flags: UInt8 = 1 << 2 | (transparentIndex == nil ? 0 : 1)
        var control: [UInt8] = [0x21, 0xF9, 4, flags]
        control += Self.bytes(of: hundredths(of: delay))
        control += [transparentIndex ?? 0, 0]
        try file.add(control)
    }

    /// Returns a duration in hundredths of a second. What rounding adds or takes is made up for by the frames after it. Players
    /// show a frame of 10 ms for 100: no longer one is told as that.
    private mutating func hundredths(of milliseconds: Int) -> Int {
        guard milliseconds > 10 else { return (max(milliseconds, 0) + 5) / 10 }
        let exact = min(milliseconds, 0xFFFF * 10) + owed
        let hundredths = min(max(2, (exact + 5) / 10), 0xFFFF)
        owed = min(max(-5, exact - hundredths * 10), 5)
        return hundredths
    }

    private mutating func appendImage(_ image: GIFIndexedImage, _ area: PixelRect) throws(CodecError) {
        var head: [UInt8] = [0x2C]
        for number in [area.origin.x, area.origin.y, area.size.width, area.size.height] {
            head += Self.bytes(of: number)
        }
        let bits = GIFWriter.bits(for: image.colors)
        if image.colors == globalColors {
            head.append(0)
        } else {
            head.append(0x80 | UInt8(bits - 1))
            head += Self.bytes(of: image.colors)
        }
        // The specification asks for 2 where one bit would do.
        let minimumCodeSize = max(2, bits)
        try file.add(head + [UInt8(minimumCodeSize)])
        var encoder = GIFLZWEncoder(minimumCodeSize: minimumCodeSize)
        try encoder.encode(image.indices, to: &file)
    }

    /// A palette has 2, 4, 8, … 256 entries; those that are not needed are black.
    private static func bytes(of colors: [UInt32]) -> [UInt8] {
        (0..<1 << bits(for: colors)).flatMap { index in
            let color = index < colors.count ? colors[index] : 0
            return [0, 8, 16].map { UInt8(truncatingIfNeeded: color >> $0) }
        }
    }

    private static func bytes(of number: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
    }

    private static func bits(for colors: [UInt32]) -> Int {
        (1...8).first { 1 << $0 >= colors.count } ?? 8
    }
}
