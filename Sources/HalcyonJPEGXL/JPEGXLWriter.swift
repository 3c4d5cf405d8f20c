internal import CJPEGXLShim
internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonRaster
internal import HalcyonSystem

/// A file on its way through libjxl's encoder. A class, because the encoder needs one owner that frees it.
final class JPEGXLWriter {
    private let encoder: OpaquePointer
    private let settings: OpaquePointer
    private let size: PixelSize
    private let hasAlpha: Bool
    private let depth: SampleDepth
    private var output = GatheredBytes()

    private static let chunkByteCount = 65_536
    /// Of libjxl's 1 to 9. Its own default of 7 takes several times as long for a few per cent.
    static let defaultEffort = 5

    /// - Parameter loopCount: `nil` for a still image.
    init(
        _ size: PixelSize,
        hasAlpha: Bool,
        depth: SampleDepth,
        options: EncodeOptions,
        loopCount: Int?
    ) throws(CodecError) {
        let encoder = try Self.encoder()
        guard let settings = libjxl.JxlEncoderFrameSettingsCreate(encoder, nil) else {
            libjxl.JxlEncoderDestroy(encoder)
            throw .cannotEncode(.jxl, reason: "out of memory")
        }
        self.encoder = encoder
        self.settings = settings
        self.size = size
        self.hasAlpha = hasAlpha
        self.depth = depth
        try describe(options, loopCount: loopCount)
        let metadata = try options.embeddedMetadata(in: .jxl, of: size)
        try setColors(metadata?.iccProfile)
        try setQuality(options)
        try addBoxes(metadata)
    }

    deinit {
        libjxl.JxlEncoderDestroy(encoder)
    }

    /// Creates an encoder, for the caller to destroy.
    static func encoder() throws(CodecError) -> OpaquePointer {
        guard CodecLibrary.jpegXL.isInstalled else {
            throw .cannotEncode(.jxl, reason: "libjxl is not installed")
        }
        guard let encoder = libjxl.JxlEncoderCreate(nil) else {
            throw .cannotEncode(.jxl, reason: "out of memory")
        }
        return encoder
    }

    private func describe(_ options: EncodeOptions, loopCount: Int?) throws(CodecError) {
        var basics = JxlBasicInfo()
        libjxl.JxlEncoderInitBasicInfo(&basics)
        basics.xsize = UInt32(size.width)
        basics.ysize = UInt32(size.height)
        basics.bits_per_sample = UInt32(depth.rawValue)
        basics.num_color_channels = 3
        basics.uses_original_profile = options.quality == nil ? 1 : 0
        basics.orientation = JxlOrientation(UInt32(options.orientation.rawValue))
        if hasAlpha {
            basics.num_extra_channels = 1
            basics.alpha_bits = UInt32(depth.rawValue)
        }
        if let loopCount {
            basics.have_animation = 1
            // A tick is a millisecond.
            basics.animation.tps_numerator = 1_000
            basics.animation.tps_denominator = 1
            basics.animation.num_loops = UInt32(clamping: loopCount)
        }
        try check(libjxl.JxlEncoderSetBasicInfo(encoder, &basics), "an image of \(size) pixels")
    }

    private func setColors(_ profile: Data?) throws(CodecError) {
        guard let profile else {
            var sRGB = JxlColorEncoding()
            libjxl.JxlColorEncodingSetToSRGB(&sRGB, 0)
            return try check(libjxl.JxlEncoderSetColorEncoding(encoder, &sRGB), "sRGB")
        }
        // libjxl works on it as it finds it.
        guard ICCTagWalker.isBounded(profile) else {
            throw .cannotEncode(.jxl, reason: "this colour profile")
        }
        let status = [UInt8](profile).withUnsafeBufferPointer {
            libjxl.JxlEncoderSetICCProfile(encoder, $0.baseAddress, $0.count)
        }
        try check(status, "this colour profile")
    }

    private func setQuality(_ options: EncodeOptions) throws(CodecError) {
        let effort = Int64(options.effort(from: 1, to: 9, default: Self.defaultEffort))
        try check(
            libjxl.JxlEncoderFrameSettingsSetOption(settings, JXL_ENC_FRAME_SETTING_EFFORT, effort),
            "this effort"
        )
        if let quality = options.clampedQuality {
            let distance = Float(QualityScale.distance.value(of: quality))
            try check(libjxl.JxlEncoderSetFrameDistance(settings, distance), "this quality")
        } else {
            try check(libjxl.JxlEncoderSetFrameLossless(settings, 1), "a lossless image")
        }
    }

    private func addBoxes(_ metadata: ImageMetadata?) throws(CodecError) {
        guard let metadata, metadata.exif != nil || metadata.xmp != nil else {
            return
        }
        try check(libjxl.JxlEncoderUseBoxes(encoder), "metadata")
        if let exif = metadata.exif {
            // Before the block stands the distance to its TIFF header (ISO/IEC 18181-2, clause 9.5).
            try addBox("Exif", [0, 0, 0, 0] + [UInt8](exif))
        }
        if let xmp = metadata.xmp {
            try addBox("xml ", [UInt8](xmp))
        }
        libjxl.JxlEncoderCloseBoxes(encoder)
    }

    private func addBox(_ name: StaticString, _ contents: [UInt8]) throws(CodecError) {
        let status = name.withUTF8Buffer { name in
            contents.withUnsafeBufferPointer { contents in
                name.withMemoryRebound(to: CChar.self) { name in
                    libjxl.JxlEncoderAddBox(encoder, name.baseAddress, contents.baseAddress, contents.count, 0)
                }
            }
        }
        try check(status, "metadata")
    }

    /// Adds a whole image. `duration` is that of a frame of an animation, in milliseconds.
    func add(_ bitmap: Bitmap, duration: Int?, isLast: Bool) throws(CodecError) {
        if let duration {
            var frame = JxlFrameHeader()
            libjxl.JxlEncoderInitFrameHeader(&frame)
            frame.duration = UInt32(clamping: duration)
            try check(libjxl.JxlEncoderSetFrameHeader(settings, &frame), "a frame of \(duration) milliseconds")
        }
        var format = halcyon_jpegxl_pixel_format(hasAlpha ? 4 : 3, depth == .sixteen, 0)
        let frame: Bitmap
        do {
            frame = try bitmap.converted(to: depth)
        } catch {
            throw .bitmap(error)
        }
        let status = try frame.withPackedSamples(hasAlpha: hasAlpha) { samples in
            libjxl.JxlEncoderAddImageFrame(settings, &format, samples.baseAddress, samples.count)
        }
        try check(status, "the image")
        if isLast {
            libjxl.JxlEncoderCloseInput(encoder)
        }
        try drain()
    }

    func finish() throws(CodecError) -> Data {
        output.data
    }

    /// Takes what is encoded, so that libjxl need not keep all frames.
    private func drain() throws(CodecError) {
        try check(try Self.drain(encoder, into: &output), "the image")
    }

    static func drain(_ encoder: OpaquePointer, into output: inout GatheredBytes) throws(CodecError) -> JxlEncoderStatus
    {
        var chunk = [UInt8](repeating: 0, count: chunkByteCount)
        var status = JXL_ENC_NEED_MORE_OUTPUT
        while status == JXL_ENC_NEED_MORE_OUTPUT {
            let count = chunk.withUnsafeMutableBufferPointer { chunk in
                var next = chunk.baseAddress
                var available = chunk.count
                status = libjxl.JxlEncoderProcessOutput(encoder, &next, &available)
                return chunk.count - available
            }
            try output.add(chunk[..<count])
        }
        return status
    }

    private func check(_ status: JxlEncoderStatus, _ subject: String) throws(CodecError) {
        guard status == JXL_ENC_SUCCESS else {
            let error = libjxl.JxlEncoderGetError(encoder)
            throw .cannotEncode(.jxl, reason: "libjxl refuses \(subject) (error \(error.rawValue))")
        }
    }
}
