public import FoundationEssentials

extension GIFDecoder: IncrementalDecoding {
    /// Begins to read the first frame, which is decoded once it is there as a whole.
    public func incrementalReader(for beginning: Data, options: DecodeOptions) throws -> any IncrementalReading {
        let file = try beginning.withUnsafeBytes { try GIFFile($0, limits: options.limits) }
        try options.limits.check(file.canvas, of: .gif)
        return GIFIncrementalReader(beginning, options: options)
    }
}
