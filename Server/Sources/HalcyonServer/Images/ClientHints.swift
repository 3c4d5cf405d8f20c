internal import HTTPTypes
internal import Hummingbird
internal import ServerURLs

/// The size at which a client shows an image: `Sec-CH-Width` and `Sec-CH-DPR` or, for caches that do not vary by
/// headers, `width` and `dpr` in the query, which no signature covers.
///
/// They choose among the widths of a list alone, and never more than the signed URL allows, so that they fill no
/// cache.
struct ClientHints {
    /// The physical pixels across.
    var width: Int?
    /// The physical pixels of a pixel of CSS.
    var density: Double?

    /// The headers that an answer varies by.
    static let headers = ["Sec-CH-Width", "Sec-CH-DPR"]

    init(_ request: Request) {
        func value(_ header: String, _ parameter: Substring) -> String? {
            request.uri.queryParameters[parameter].map(String.init)
                ?? HTTPField.Name(header).flatMap { request.headers[$0] }
        }
        width = value("Sec-CH-Width", "width").flatMap { Int($0) }.flatMap { (1...65_535).contains($0) ? $0 : nil }
        density = value("Sec-CH-DPR", "dpr").flatMap { Double($0) }.flatMap { (0.1...8).contains($0) ? $0 : nil }
    }

    init(width: Int? = nil, density: Double? = nil) {
        self.width = width
        self.density = density
    }

    /// Returns the plan with the width for the client; without a largest width for hints, the plan.
    ///
    /// - Parameters:
    ///   - widths: The widths that hints choose among.
    ///   - largestSide: The most pixels of a side that the server makes.
    func applied(to plan: ImagePlan, widths: [Int], largestSide: Int) -> ImagePlan {
        guard let largest = plan.output.largestHintedWidth else { return plan }
        var signed: Double?
        if case .pixels(let pixels) = plan.size.width { signed = Double(pixels) * plan.size.density }
        guard let wanted = width.map(Double.init) ?? density.flatMap({ density in signed.map { $0 * density } }) else {
            return plan
        }
        let width = min(widths.sorted().first { Double($0) >= wanted } ?? largest, largest)
        var plan = plan
        guard let signed else {
            (plan.size.width, plan.size.density) = (.pixels(width), 1)
            return plan
        }
        // The height and all lengths keep their ratio to the width.
        let density = plan.size.density * Double(width) / signed
        if case .pixels(let height) = plan.size.height, Double(height) * density > Double(largestSide) { return plan }
        plan.size.density = density
        return plan
    }
}
