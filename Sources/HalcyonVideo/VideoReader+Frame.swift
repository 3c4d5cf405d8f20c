internal import CVideoShim
internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonRaster

extension VideoReader {
    /// The number of key frames among which one is searched that is not nearly black, and the mean of components below
    /// which one is.
    private static let (candidateCount, darkest) = (12, 24)

    /// Decodes a frame, or the cover.
    ///
    /// - Throws: ``CodecError``, `CancellationError`.
    func image(_ options: DecodeOptions, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        guard options.frame == 0 else {
            throw CodecError.noSuchFrame(options.frame, frameCount: 1)
        }
        if options.videoFrame.time == .representative || !description.has_frames, let cover {
            do {
                return try image(ofCover: cover, options, isCancelled: isCancelled)
            } catch let error as CodecError {
                // A damaged cover is no reason to show nothing.
                guard description.has_frames else { throw error }
            }
        }
        var info = try info()
        let (target, depth) = (size(of: info, for: options), depth(of: info, for: options))
        try limits.check(codedSize, of: format)
        try limits.check(info.size, of: format)
        // Decoders keep up to 16 frames, of small images; of large ones, about eight. Two samples are a pixel's at
        // 4:2:2. Alpha may have a decoder of its own.
        let codedByteCount =
            (codedSize.pixelCount * (info.bitDepth > 8 ? 4 : 2) * (halcyon_video_has_separate_alpha(video) ? 16 : 8))
            .value
        let byteCount = target.bitmapByteCount(depth: depth)
        try limits.checkMemory(codedByteCount, byteCount, byteCount, of: format)
        // Coded sizes are multiples of 64 at most, with borders; decoders also ask whether they may take 280 rows.
        let coded = PixelSize(((codedSize.width + 63) & ~63) + 256, max(((codedSize.height + 63) & ~63) + 128, 512))
        try check(halcyon_video_open_decoder(video, Int64(coded.area)))
        try seek(to: options.videoFrame)
        // The header tells of the first frame; others may have other samples.
        let mayHaveAlpha = info.hasAlpha || halcyon_video_frame_has_alpha(video)
        let bitmap = try bitmap(target, depth, mayHaveAlpha: mayHaveAlpha, options)
        info.hasAlpha = info.hasAlpha || !bitmap.isOpaque
        let turned = try bitmap.upright(options.appliedOrientation(of: info.orientation))
        return DecodedImage(bitmap: turned, info: info, options: options, colorProfile: colorProfile)
    }

    /// Decodes the cover, scaled down to the memory that a frame would take, for which there is room.
    private func image(
        ofCover cover: Data,
        _ options: DecodeOptions,
        isCancelled: @Sendable () -> Bool
    ) throws -> DecodedImage {
        var options = options
        options.typeHint = nil
        options.color = .asStored
        if description.has_frames {
            let byteCount = try info().size.bitmapByteCount(depth: .eight)
            options.largestByteCount = min(options.largestByteCount ?? .max, byteCount)
        }
        return try Self.coverCodecs.decode(cover, options: options, isCancelled: isCancelled)
    }

    private func depth(of info: ImageInfo, for options: DecodeOptions) -> SampleDepth {
        options.keepsSixteenBits && info.bitDepth > 8 ? .sixteen : .eight
    }

    /// Returns the size to convert to, before the frame is turned: twice the target, from which it is resampled with a
    /// better filter, unless that is larger than the frame.
    private func size(of info: ImageInfo, for options: DecodeOptions) -> PixelSize {
        guard let target = options.targetSize, !target.isEmpty else {
            return info.size
        }
        let (width, widthOverflows) = target.width.multipliedReportingOverflow(by: 2)
        let (height, heightOverflows) = target.height.multipliedReportingOverflow(by: 2)
        let shown = options.displaySize(of: info)
        guard !widthOverflows, !heightOverflows, width < shown.width, height < shown.height else {
            return info.size
        }
        let size = shown.filling(PixelSize(width, height))
        guard size.width < shown.width, size.height < shown.height else {
            return info.size
        }
        return options.appliedOrientation(of: info.orientation).swapsSides ? size.transposed : size
    }

    /// Makes the frame asked for the current one.
    private func seek(to frame: VideoFrame) throws {
        guard let seconds = frame.time.seconds(ofDuration: duration) else {
            return try seekToRepresentative()
        }
        guard frame.time != .first, frame.tolerance != .exact else {
            return try decode(at: seconds)
        }
        do {
            if let keyFrame = try keyFrame(near: seconds, frame.tolerance) {
                return try decode(keyFrameAt: keyFrame)
            }
        } catch CodecError.corrupt, CodecError.truncated {
            // A key frame by the container that is none by the codec.
        }
        try decode(at: seconds)
    }

    /// Makes a key frame the current one.
    private func decode(keyFrameAt seconds: Double) throws {
        for earlier in Self.leads {
            try check(halcyon_video_seek(video, max(0, seconds - earlier)))
            var (time, status) = (-Double.infinity, HalcyonVideoDone)
            while status == HalcyonVideoDone, time < seconds - 0.001 {
                status = halcyon_video_read_key_frame(video, &time)
            }
            if status != HalcyonVideoEnd { try check(status) }
            if status == HalcyonVideoDone, time < seconds + 0.001 {
                return try check(halcyon_video_decode_key_frame(video))
            }
        }
        throw CodecError.truncated(format)
    }

    /// Makes the frame that is shown at a time the current one.
    private func decode(at seconds: Double) throws {
        for earlier in Self.leads where earlier == 0 || seconds > 0 {
            try check(halcyon_video_seek(video, max(0, seconds - earlier)))
            let status = halcyon_video_decode_until(video, seconds)
            if status == HalcyonVideoDone {
                if halcyon_video_frame_time(video) <= seconds + 0.001 { return }
            } else if status != HalcyonVideoEnd, status != HalcyonVideoCorrupt || earlier == .infinity {
                try check(status)
            }
        }
        // Nothing is shown at that time, as where the first frame comes later.
        if halcyon_video_frame_time(video).isNaN { try check(HalcyonVideoEnd) }
    }

    /// The seconds by which a container is searched earlier, one after the other. Some are searched by the time of
    /// decoding, which is before that of showing, or with little precision, so that a later frame is found; and what
    /// follows a key frame can be damaged. The last one is the beginning.
    private static let leads: [Double] = [0, 2, 10, .infinity]

    /// Returns the time of the key frame that may stand for a time; `nil` where there is none.
    private func keyFrame(near seconds: Double, _ tolerance: VideoFrame.Tolerance) throws -> Double? {
        var before = Double.infinity
        for earlier in Self.leads where before > seconds {
            try check(halcyon_video_seek(video, max(0, seconds - earlier)))
            let status = halcyon_video_read_key_frame(video, &before)
            if status != HalcyonVideoEnd { try check(status) }
        }
        guard before < .infinity else {
            return nil
        }
        var after = before
        _ = halcyon_video_find_next_key_frame(video, &after)
        // Without an index they are read one after the other.
        while after <= seconds {
            before = after
            let status = halcyon_video_read_key_frame(video, &after)
            if status == HalcyonVideoEnd { return before }
            try check(status)
        }
        switch tolerance {
        case .previousKeyFrame, .exact: return before
        case .nextKeyFrame: return before >= seconds - 1e-6 ? before : after
        case .nearestKeyFrame: return abs(seconds - before) <= abs(after - seconds) ? before : after
        }
    }

    /// Makes the first key frame that is not nearly black the current one, or else the first one.
    private func seekToRepresentative() throws {
        var time = 0.0
        for _ in 0..<Self.candidateCount {
            let status = halcyon_video_read_key_frame(video, &time)
            guard status == HalcyonVideoDone else {
                if status != HalcyonVideoEnd, status != HalcyonVideoCorrupt { try check(status) }
                break
            }
            let decoded = halcyon_video_decode_key_frame(video)
            if decoded == HalcyonVideoCorrupt { continue }
            try check(decoded)
            if Int(halcyon_video_brightness(video)) >= Self.darkest { return }
        }
        try decode(at: 0)
    }

    /// Converts the current frame.
    private func bitmap(
        _ size: PixelSize,
        _ depth: SampleDepth,
        mayHaveAlpha: Bool,
        _ options: DecodeOptions
    ) throws(CodecError) -> Bitmap {
        var bitmap = try Bitmap.forDecoding(size, isOpaque: !mayHaveAlpha, depth: depth)
        let bytesPerRow = bitmap.bytesPerRow
        let status = bitmap.withUnsafeMutableBytes { pixels -> HalcyonVideoStatus in
            // A bitmap has at least one pixel, so there is an address.
            guard let out = pixels.assumingMemoryBound(to: UInt8.self).baseAddress else { return HalcyonVideoCorrupt }
            let status = halcyon_video_convert(
                video,
                Int32(size.width),
                Int32(size.height),
                depth == .sixteen,
                out,
                bytesPerRow
            )
            guard status == HalcyonVideoDone, mayHaveAlpha, options.premultiplies else { return status }
            for y in 0..<size.height {
                let row = out + y * bytesPerRow
                switch depth {
                case .eight: _ = PixelConversion.premultiply(row, into: row, count: size.width)
                case .sixteen: _ = PixelConversion.premultiply16(row, into: row, count: size.width)
                }
            }
            return status
        }
        guard status == HalcyonVideoDone else {
            throw .corrupt(format, reason: "its frame cannot be converted")
        }
        if mayHaveAlpha { bitmap.isOpaque = !bitmap.containsTransparency() }
        return bitmap
    }
}
