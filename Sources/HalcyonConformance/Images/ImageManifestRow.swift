internal import HalcyonRaster

/// An image of a collection, and what is known of it. Columns that are missing count as empty, others are left alone.
struct ImageManifestRow: Sendable {
    /// The behaviour that a suite expects with a file.
    enum Expectation: String, Sendable {
        case decodes
        case mustBeRejected = "must-be-rejected"
        /// An error, or a part of the image, or all of it.
        case partialOK = "partial-ok"
        /// Anything that is an answer.
        case noCrash = "no-crash"
    }

    /// The way in which pixels are compared.
    enum PixelCheck: String, Sendable {
        /// By hash; several decoders agree.
        case exact
        /// By hash; of one decoder.
        case single
        /// By hash of the high bytes of 16 bits.
        case highBytes = "tol1"
        /// With the suite's own pixels.
        case reference
        /// By means, or with the suite's own pixels.
        case tolerance
        /// Not at all.
        case none
    }

    /// The line as it stands in the list.
    let line: String
    private let values: [String: String]

    init(line: String, columns: [String]) {
        self.line = line
        values = Dictionary(zip(columns, Self.fields(line))) { first, _ in first }
    }

    static func fields(_ line: String) -> [String] {
        line.utf8.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    /// A field; empty if there is no such column.
    subscript(_ column: String) -> String { values[column] ?? "" }

    var path: String { self["path"] }
    var format: String { self["format"] }
    var category: String { self["category"].isEmpty ? "other" : self["category"] }
    /// A Boolean value that indicates whether it is to be run, not something that others refer to.
    var isTest: Bool { !path.isEmpty && (self["role"] == "test" || self["role"].isEmpty) }
    /// `nil` for what is no image.
    var expectation: Expectation? { Expectation(rawValue: self["expectation"]) }
    var pixelCheck: PixelCheck { PixelCheck(rawValue: self["pixel_check"]) ?? .none }
    var hasPartialAlpha: Bool { self["alpha"] == "partial" }
    /// A Boolean value that indicates whether common decoders accept what the suite wants to be rejected.
    var isInConflict: Bool { self["note"].contains("CONFLICT") }

    /// As stored.
    var size: PixelSize? { size("width", "height") }
    /// As shown.
    var displaySize: PixelSize? { size("display_width", "display_height") }
    var frameCount: Int? { Int(self["frames"]) }
    var loopCount: Int? { Int(self["loop"]) }
    var orientation: Int? { Int(self["exif_orientation"]) }
    var pixelHash: String? { nonempty("sha256_rgba8") }
    var framesHash: String? { nonempty("sha256_frames") }

    /// Milliseconds of the first frames; a long list ends in an ellipsis.
    var durations: [Double] {
        self["durations_ms"].split { ",; ".contains($0) }.map { Double($0) }.prefix { $0 != nil }.compactMap(\.self)
    }

    /// Red, green, blue, alpha, from 0 to 255.
    var means: [Double]? {
        let means = self["mean_rgba"].split(separator: ",").compactMap { Double($0) }
        return means.count == 4 ? means : nil
    }

    /// Files of the collection with the pixels that are expected.
    var references: [String] {
        self["reference"].split { " ;".contains($0) }.map(String.init)
    }

    /// A Boolean value that indicates whether sizes and pixels were taken after the file's own transformation was
    /// applied, as its usual decoders do.
    var isMeasuredUpright: Bool { ["heic", "heif", "jxl", "tiff"].contains(format) }

    /// A Boolean value that indicates whether it can be drawn at any size.
    var isVector: Bool { ["svg", "svgz"].contains(format) }

    private func size(_ width: String, _ height: String) -> PixelSize? {
        guard let width = Int(self[width]), let height = Int(self[height]), width > 0, height > 0 else { return nil }
        return PixelSize(width, height)
    }

    private func nonempty(_ column: String) -> String? {
        let value = self[column]
        return value.isEmpty ? nil : value
    }
}
