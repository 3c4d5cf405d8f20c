public import FoundationEssentials
internal import HalcyonHTTP

/// The images among which the one for a size is chosen, as the `srcset` attribute of a web page names them (WHATWG HTML,
/// section 4.8.4.2).
///
/// ```swift
/// let images = ImageSourceSet(srcset: "small.jpg 480w, medium.jpg 960w, large.jpg 1920w")
/// let source = images.source(width: 400, scale: 2, relativeTo: page)  // medium.jpg
/// ```
public struct ImageSourceSet: Sendable, Hashable {
    /// An image of a set.
    public struct Candidate: Sendable, Hashable {
        /// The URL as it is written, which may be relative.
        public let url: String
        /// The size of the image.
        public let descriptor: Descriptor

        /// An image of this size. Default of `descriptor`: one pixel a point.
        public init(url: String, descriptor: Descriptor = .density(1)) {
            self.url = url
            self.descriptor = descriptor
        }
    }

    /// The size of an image.
    public enum Descriptor: Sendable, Hashable {
        /// The width of the image, in pixels; at least 1 (`480w`).
        case width(Int)
        /// The number of pixels a point that the image is made for; zero or more (`2x`).
        case density(Double)
    }

    /// The images, in the order in which they are written.
    public let candidates: [Candidate]

    /// A set of these images.
    public init(_ candidates: [Candidate]) {
        self.candidates = candidates
    }

    /// The set that the attributes of an `img` element name. Candidates that are malformed are left out, as browsers do;
    /// nothing is an error.
    ///
    /// - Parameters:
    ///   - srcset: The value of the attribute `srcset`.
    ///   - src: The value of the attribute `src`, which is a candidate for one pixel a point if there is no other and no
    ///     candidate has a width. Default: `nil`.
    public init(srcset: String, src: String? = nil) {
        var parser = SourceSetParser(srcset)
        var candidates = parser.candidates()
        let hasDefault = candidates.contains { candidate in
            switch candidate.descriptor {
            case .width: true
            case .density(let density): density == 1
            }
        }
        if let src, !src.isEmpty, !hasDefault { candidates.append(Candidate(url: src)) }
        self.init(candidates)
    }

    /// Returns the image to show at a width: the one with the fewest pixels that has enough, else the one with the most;
    /// `nil` if the set is empty. Of several with the same density the first one is chosen.
    ///
    /// - Parameters:
    ///   - width: The width, in points. One that is not positive counts as 1.
    ///   - scale: The number of pixels a point. One that is not positive counts as 1. Default: 1.
    public func candidate(width: Double, scale: Double = 1) -> Candidate? {
        // An infinite width would make the densities of all widths equal.
        let width = width > 0 ? min(width, .greatestFiniteMagnitude) : 1
        let scale = scale > 0 ? scale : 1
        var best: (candidate: Candidate, density: Double)?
        for candidate in candidates {
            let density = candidate.descriptor.density(width: width)
            guard let current = best else {
                best = (candidate, density)
                continue
            }
            let isBetter =
                density >= scale
                ? current.density < scale || density < current.density
                : density > current.density
            if isBetter { best = (candidate, density) }
        }
        return best?.candidate
    }

    /// Returns the source of the image to show at a width; `nil` if the set is empty. Loads of one that is no URL fail
    /// with ``ImageError/Reason/invalidURL(_:)``; so do those of a `file` URL where the base is another, as a page of
    /// the web must not choose files of this machine.
    ///
    /// - Parameters:
    ///   - width: The width, in points. One that is not positive counts as 1.
    ///   - scale: The number of pixels a point. One that is not positive counts as 1. Default: 1.
    ///   - base: The URL that relative ones are resolved against, such as that of the page. Default: `nil`.
    public func source(width: Double, scale: Double = 1, relativeTo base: URL? = nil) -> Source? {
        guard let text = candidate(width: width, scale: scale).map({ URL.withoutBlanks($0.url) }) else { return nil }
        // `URL` would escape the body anew.
        if text.prefix(5).lowercased() == "data:" { return .dataURL(text) }
        guard let url = URL(written: text, relativeTo: base)?.absoluteURL, url.scheme != nil else {
            return Source(.invalid(url: text), cacheKey: nil)
        }
        if let base, Self.isFile(url), !Self.isFile(base.absoluteURL) {
            return Source(.invalid(url: text), cacheKey: nil)
        }
        return .url(url)
    }

    private static func isFile(_ url: URL) -> Bool { url.scheme?.lowercased() == "file" }
}

extension ImageSourceSet.Descriptor {
    /// Returns the number of pixels a point of an image that is shown at a width in points.
    fileprivate func density(width: Double) -> Double {
        switch self {
        case .width(let pixels): Double(pixels) / width
        case .density(let density): density
        }
    }
}
