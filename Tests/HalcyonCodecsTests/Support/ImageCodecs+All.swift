import HalcyonCodecs
import HalcyonFormats

extension ImageCodecs {
    /// The codecs of all formats, whatever is registered.
    static let all = core + [.all]
}
