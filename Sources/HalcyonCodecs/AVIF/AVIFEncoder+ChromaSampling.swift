extension AVIFEncoder {
    /// The share of the colours that is kept beside the brightness.
    public enum ChromaSampling: Sendable, Hashable {
        /// One sample of colour for four pixels: what cameras and the web use.
        case yuv420
        /// One sample of colour for each pixel, which keeps coloured edges and small text sharp.
        case yuv444
    }
}
