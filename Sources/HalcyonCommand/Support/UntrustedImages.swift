internal import Halcyon

/// Images of servers and of strangers' files, whose decoders work in confined processes where those are to be had.
enum UntrustedImages {
    static let isolation = DecodeIsolation.preferred
    static let options: [ImageOption] = [.isolation(isolation)]

    /// The codecs for an image.
    ///
    /// - Parameter file: The name of the file, for errors.
    static func codecs(for file: String? = nil) -> ImageCodecs {
        ImageCodecs.standard.isolated(isolation, file: file)
    }
}
