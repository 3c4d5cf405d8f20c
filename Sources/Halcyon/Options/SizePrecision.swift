/// The rule for the size of an image in memory that answers a request with a ``TargetSize``.
public enum SizePrecision: String, Sendable, Hashable, CaseIterable {
    /// The image that was made for the same size.
    case exact
    /// That image, or else one of the same source, made with the same options for a larger size, or whole. It is
    /// returned as it is: the place that shows it scales it down. A smaller one answers only if it is the whole image.
    ///
    /// An image with processors whose result depends on the size, such as round corners of some pixels, is answered for
    /// by that of the same size alone; see ``ImageProcessing/scalesWithImage``. On disk, in shared work and in encoded
    /// images the size is exact in any case.
    case inexact
}
