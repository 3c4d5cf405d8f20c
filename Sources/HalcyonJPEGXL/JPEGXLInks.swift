internal import CJPEGXLShim
internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonRaster

/// The black of an image in four inks, which libjxl hands out apart from the colours: those are the light that cyan,
/// magenta and yellow leave.
///
/// A class, because it owns what libjxl writes to.
final class JPEGXLInks {
    private let black: PixelBuffer
    private let size: PixelSize
    private let conversion: ColorSpaceConversion?

    /// - Parameter profile: That of the inks; without one, or with one that cannot be used, black takes its share of
    ///   each colour.
    /// - Throws: ``CodecError/bitmap(_:)`` where there is no memory.
    init(_ size: PixelSize, profile: Data?) throws(CodecError) {
        self.size = size
        conversion = profile.flatMap { ColorSpaceConversion.cached(for: $0) }
        do {
            black = try PixelBuffer(byteCount: size.area)
        } catch {
            throw .bitmap(error)
        }
        // No ink, where the decoder writes none.
        black.pointer.initializeMemory(as: UInt8.self, repeating: 255, count: black.byteCount)
    }

    /// Has the decoder write the channel with this number here, which must live until the frame is complete.
    func receive(_ channel: Int, from decoder: OpaquePointer) throws(CodecError) {
        var format = halcyon_jpegxl_pixel_format(1, false, 0)
        var count = 0
        guard libjxl.JxlDecoderExtraChannelBufferSize(decoder, &format, &count, UInt32(channel)) == JXL_DEC_SUCCESS,
            count == black.byteCount,
            libjxl.JxlDecoderSetExtraChannelBuffer(decoder, &format, black.pointer, count, UInt32(channel))
                == JXL_DEC_SUCCESS
        else {
            throw .corrupt(.jxl, reason: "its black")
        }
    }

    /// Makes red, green and blue of the light that three inks leave, and the black. Alpha stays.
    ///
    /// - Parameter isCancelled: Asked for each 262,144 pixels, as a profile takes up to 80 ns for each.
    /// - Throws: `CancellationError`; ``CodecError/bitmap(_:)`` where there is no memory.
    func convert(_ pixels: UnsafeMutableRawBufferPointer, bytesPerRow: Int, isCancelled: () -> Bool) throws {
        let row = try PixelBuffer.forEncoding(byteCount: size.width * 4)
        defer { withExtendedLifetime(row) {} }
        let inks = row.pointer.bindMemory(to: UInt8.self, capacity: row.byteCount)
        let blacks = UnsafeRawBufferPointer(start: black.pointer, count: black.byteCount)
        let rowsPerQuestion = max(1, (1 << 18) / size.width)
        for y in 0..<size.height {
            if y % rowsPerQuestion == 0, isCancelled() { throw CancellationError() }
            for x in 0..<size.width {
                let (pixel, black) = (y * bytesPerRow + x * 4, Int(blacks[y * size.width + x]))
                for channel in 0..<3 {
                    let light = Int(pixels[pixel + channel])
                    inks[x * 4 + channel] = UInt8(conversion == nil ? (light * black + 127) / 255 : 255 - light)
                }
                inks[x * 4 + 3] = UInt8(255 - black)
            }
            conversion?.convert(inks, count: size.width)
            for x in 0..<size.width {
                for channel in 0..<3 {
                    pixels[y * bytesPerRow + x * 4 + channel] = inks[x * 4 + channel]
                }
            }
        }
    }
}
