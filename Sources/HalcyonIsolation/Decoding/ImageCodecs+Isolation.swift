public import HalcyonCodecs

extension ImageCodecs {
    /// Returns the same codecs, whose decoders work as an isolation says; of codecs that are isolated already, as the stricter
    /// one says. Encoders work in the program.
    ///
    /// ```swift
    /// let image = try ImageCodecs.standard.isolated(.preferred).decode(upload)
    /// ```
    ///
    /// - Parameters:
    ///   - isolation: Where images are decoded.
    ///   - scope: Whose images they are: no process holds images of two scopes. Default: empty, those of everyone.
    ///   - file: The name of the file, for errors. Default: `nil`.
    public func isolated(_ isolation: DecodeIsolation, scope: String = "", file: String? = nil) -> ImageCodecs {
        isolated(WorkerIsolation(isolation, scope: scope, file: file))
    }

    /// Returns the same codecs, whose decoders work elsewhere.
    package func isolated(_ isolation: WorkerIsolation) -> ImageCodecs {
        var codecs = self
        codecs.isolation = isolation.combined(with: self.isolation as? WorkerIsolation)
        return codecs
    }
}
