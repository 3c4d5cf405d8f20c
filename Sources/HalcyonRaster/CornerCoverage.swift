internal import Glibc

/// The share of each pixel near a rounded corner that lies inside of the arc: the exact area, not samples of it.
///
/// Pixels are counted from the corner inwards, so that one description serves all four corners, and equal corners come
/// out as mirror images of each other to the last bit.
struct CornerCoverage {
    /// The radius in pixels, more than 0.
    let radius: Double

    /// Returns the area of a pixel that lies within the square around the arc, and outside of the arc: from 0 to 1.
    ///
    /// - Parameters:
    ///   - x: The distance of the pixel's nearer side from the corner, along the rows; negative for a pixel that begins
    ///     before the corner.
    ///   - y: The same along the columns.
    func loss(x: Double, y: Double) -> Double {
        // The arc is symmetric about its diagonal; so are the results, if both pixels take the same path.
        let (near, far) = x < y ? (x, y) : (y, x)
        // Measured from the arc's centre towards the corner. Everything beyond the centre is inside.
        let right = min(radius, radius - near)
        let top = min(radius, radius - far)
        let left = max(0, radius - near - 1)
        let bottom = max(0, radius - far - 1)
        guard right > left, top > bottom else { return 0 }
        if right * right + top * top <= radius * radius { return 0 }
        let area = (right - left) * (top - bottom)
        if left * left + bottom * bottom >= radius * radius { return area }
        // The arc is above `top` as far as `full`, and above `bottom` as far as `end`.
        let full = min(max(root(top), left), right)
        let end = min(max(root(bottom), left), right)
        let covered = (full - left) * (top - bottom) + integral(end) - integral(full) - (end - full) * bottom
        return min(max(area - covered, 0), area)
    }

    /// Returns sqrt(radius² - x²): the arc's height at `x`.
    private func root(_ x: Double) -> Double { max(0, radius * radius - x * x).squareRoot() }

    /// Returns the area below the arc from 0 to `x`.
    private func integral(_ x: Double) -> Double {
        (x * root(x) + radius * radius * asin(min(1, x / radius))) / 2
    }
}
