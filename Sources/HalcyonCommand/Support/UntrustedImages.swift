internal import Halcyon
internal import Synchronization

/// Images of servers and of strangers' files, whose decoders work in confined processes where those are to be had.
enum UntrustedImages {
    static let isolation = DecodeIsolation.preferred
    static let options: [ImageOption] = [.isolation(isolation)]

    /// Returns a pipeline that tells the person of the first image that is decoded in this process for want of a confined one.
    static func pipeline(_ configuration: ImagePipeline.Configuration) -> ImagePipeline {
        var configuration = configuration
        let observer = LoadObserver { observation in
            if case .decodedInProgram(let format, let error) = observation.activity { warn(format, error) }
        }
        configuration.observers.append(observer)
        return ImagePipeline(configuration: configuration)
    }

    /// The codecs for an image.
    ///
    /// - Parameter file: The name of the file, for errors.
    static func codecs(for file: String? = nil) -> ImageCodecs {
        ImageCodecs.standard.isolated(WorkerIsolation(isolation, file: file) { warn($0, $1) })
    }

    private static let hasWarned = Atomic(false)

    private static func warn(_ format: ImageFormat, _ error: IsolationError) {
        guard !hasWarned.exchange(true, ordering: .relaxed) else { return }
        Terminal.warn("\(format.name) is decoded in this process and not in a confined one: \(error)")
    }
}
