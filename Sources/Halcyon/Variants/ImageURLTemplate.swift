public import FoundationEssentials
internal import HalcyonHTTP

/// An address with variables for the size of the image, for a server that makes images of any size.
///
/// ```swift
/// let template = try ImageURLTemplate("https://cdn.example/x.jpg?w={width}&h={height}&dpr={scale}")
/// let source = template.source(width: 320, height: 240, scale: 2)
/// // https://cdn.example/x.jpg?w=320&h=240&dpr=2
/// ```
///
/// A variable stands in braces, as in URI templates (RFC 6570, level 1); there is no other use for braces.
public struct ImageURLTemplate: Sendable, Hashable {
    /// A variable of a template.
    public enum Variable: String, Sendable, Hashable, CaseIterable {
        /// The width, in points.
        case width
        /// The height, in points.
        case height
        /// The width, in pixels.
        case pixelWidth
        /// The height, in pixels.
        case pixelHeight
        /// The number of pixels a point, with up to two decimal places.
        case scale
    }

    private enum Part: Sendable, Hashable {
        case text(String)
        case variable(Variable)
    }

    /// The template.
    public let text: String
    /// The number of which widths and heights are a multiple: they are rounded up, so that views of nearly the same size
    /// load one image. Default: 1.
    public let step: Int
    private let parts: [Part]

    /// A template.
    ///
    /// - Parameters:
    ///   - text: The address with variables.
    ///   - step: The number of which widths and heights are a multiple; at least 1. Default: 1.
    /// - Throws: ``ImageURLTemplateError``.
    public init(_ text: String, step: Int = 1) throws(ImageURLTemplateError) {
        self.text = text
        self.step = min(max(1, step), Self.greatestSide)
        parts = try Self.parts(of: text)
        guard url(width: 1, height: 1) != nil else { throw .invalidURL(text) }
    }

    /// Returns the address of the image for a size; `nil` where the values of the variables make the template no URL.
    ///
    /// Widths and heights are rounded to whole numbers from 1 to 65,535, and then up to a multiple of ``step``.
    ///
    /// - Parameters:
    ///   - width: The width, in points.
    ///   - height: The height, in points.
    ///   - scale: The number of pixels a point, from 0.1 to 16. Default: 1.
    public func url(width: Double, height: Double, scale: Double = 1) -> URL? {
        URL(written: expanded(width: width, height: height, scale: scale))
    }

    /// Returns the source of the image for a size. Where the values of the variables make the template no URL, its loads
    /// fail with ``ImageError/Reason/invalidURL(_:)``.
    ///
    /// - Parameters:
    ///   - width: The width, in points.
    ///   - height: The height, in points.
    ///   - scale: The number of pixels a point, from 0.1 to 16. Default: 1.
    public func source(width: Double, height: Double, scale: Double = 1) -> Source {
        let address = expanded(width: width, height: height, scale: scale)
        guard let url = URL(written: address) else { return Source(.invalid(url: address), cacheKey: nil) }
        return .url(url)
    }

    private static let greatestSide = 65_535

    private func expanded(width: Double, height: Double, scale: Double) -> String {
        let scale = scale.isFinite ? min(max(scale, 0.1), 16) : 1
        return parts.map { part in
            switch part {
            case .text(let text): text
            case .variable(.width): side(width)
            case .variable(.height): side(height)
            case .variable(.pixelWidth): side(width * scale)
            case .variable(.pixelHeight): side(height * scale)
            case .variable(.scale): Self.decimal(scale)
            }
        }.joined()
    }

    private func side(_ value: Double) -> String {
        // Not a number compares as false.
        let rounded = value > 1 ? Int(min(value.rounded(), Double(Self.greatestSide))) : 1
        return "\((rounded + step - 1) / step * step)"
    }

    private static func decimal(_ value: Double) -> String {
        let hundredths = Int((value * 100).rounded())
        let (whole, rest) = (hundredths / 100, hundredths % 100)
        if rest == 0 { return "\(whole)" }
        return rest % 10 == 0 ? "\(whole).\(rest / 10)" : "\(whole).\(rest / 10)\(rest % 10)"
    }

    private static func parts(of text: String) throws(ImageURLTemplateError) -> [Part] {
        var parts: [Part] = []
        var rest = text[...]
        while let brace = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
            guard rest[brace] == "{", let end = rest[brace...].firstIndex(of: "}") else {
                throw .unmatchedBrace(offset: text.utf8.distance(from: text.startIndex, to: brace))
            }
            let name = String(rest[rest.index(after: brace)..<end])
            guard let variable = Variable(rawValue: name) else { throw .unknownVariable(name) }
            parts += [.text(String(rest[..<brace])), .variable(variable)]
            rest = rest[rest.index(after: end)...]
        }
        return parts + [.text(String(rest))]
    }
}

extension ImageURLTemplate: CustomStringConvertible {
    /// The template.
    public var description: String { text }
}

/// The reason that a text is no ``ImageURLTemplate``.
public enum ImageURLTemplateError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A brace has no counterpart: its place in UTF-8, from 0.
    case unmatchedBrace(offset: Int)
    /// The name in braces is no ``ImageURLTemplate/Variable``.
    case unknownVariable(String)
    /// The template is no URL, whatever the values of its variables.
    case invalidURL(String)

    /// A description of the error.
    public var description: String {
        switch self {
        case .unmatchedBrace(let offset): "the brace at byte \(offset) of the template has no counterpart"
        case .unknownVariable(let name):
            "the template has no variable “\(name)”, but "
                + ImageURLTemplate.Variable.allCases.map(\.rawValue).joined(separator: ", ")
        case .invalidURL(let text): "the template “\(text)” is no URL"
        }
    }
}
