public import FoundationEssentials

extension ImageCodecs {
    /// Opens an animation to be read frame by frame. A still image is one of a single frame.
    ///
    /// - Parameters:
    ///   - data: The whole file. Of one that is cut short, the frames that are there can be read.
    ///   - options: As for a still image, except for ``DecodeOptions/frame``, which does not matter. Default: the
    ///     defaults.
    /// - Throws: ``CodecError``.
    public func frames(of data: Data, options: DecodeOptions = DecodeOptions()) throws -> FrameReader {
        try FrameReader(data, decoder: decoder(for: data, hint: options.typeHint), options: options)
    }
}
