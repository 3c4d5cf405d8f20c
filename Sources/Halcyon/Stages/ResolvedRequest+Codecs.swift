internal import HalcyonCodecs
internal import HalcyonIsolation

extension ResolvedRequest {
    /// Returns the codecs that the original is decoded with, where the options say.
    ///
    /// - Parameters:
    ///   - codecs: Those for requests that name none.
    ///   - report: Receives the format of an image that is decoded in the program for want of a worker. Default: nobody is
    ///     told.
    func codecs(over codecs: ImageCodecs, report: WorkerIsolation.Report? = nil) -> ImageCodecs {
        let isolation = WorkerIsolation(options.decode.isolation, scope: key.original.scope ?? "", report: report)
        return source.codecs(over: options.codecs(or: codecs).isolated(isolation))
    }

    /// Returns the codecs that a stored result is decoded with: in the program what this package has encoded, and elsewhere what
    /// a serializer of the program may have taken from the original.
    func codecs(ofResultsOver codecs: ImageCodecs) -> ImageCodecs {
        let own = options.codecs(or: codecs)
        if options.cache.serializer is ImageSerializer { return own }
        return own.isolated(WorkerIsolation(options.decode.isolation, scope: key.original.scope ?? ""))
    }
}
