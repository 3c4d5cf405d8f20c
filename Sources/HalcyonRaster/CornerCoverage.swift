internal import Glibc

/// The share of each pixel near a rounded corner that lies inside of the arc: the exact area, not samples of it.
///
/// Pixels are counted from the corner inwards, so that one description serves all four corners, and equal corners come
/// out as mirror images of each other to the last bit.
struct CornerCoverage {
    /// In pixels, more than 0.
    let radius: Double

    /// The number of columns, and of rows, from the corner on that can be covered in part.
    var extent: Int { Int(radius.rounded(.up)) }

    /// The part of pixel (column, row) that lies outside of the arc, from 0 to 1.
    func loss(column: Int, row: Int) -> Double {
        // The arc is symmetric about its diagonal; so are the results, if both pixels take the same path.
        let (near, far) = column < row ? (column, row) : (row, column)
        // Measured from the arc's centre towards the corner. What lies beyond the centre is inside.
        let right = radius - Double(near)
        let top = radius - Double(far)
        guard right > 0, top > 0 else { return 0 }
        let left = max(0, right - 1)
        let bottom = max(0, top - 1)
        if right * right + top * top <= radius * radius { return 0 }
        let area = (right - left) * (top - bottom)
        if left * left + bottom * bottom >= radius * radius { return area }
        // The arc is above `top` as far as `full`, and above `bottom` as far as `end`.
        let full = min(max(root(top), left), right)
        let end = min(max(root(bottom), left), right)
        let covered = (full - left) * (top - bottom) + integral(end) - integral(full) - (end - full) * bottom
        return min(max(area - covered, 0), area)
    }

    /// sqrt(radius² - x²): the arc's height at `x`.
    private func root(_ x: Double) -> Double { max(0, radius * radius - x * x).squareRoot() }

    /// The area below the arc from 0 to `x`.
    private func integral(_ x: Double) -> Double {
        (x * root(x) + radius * radius * asin(min(1, x / radius))) / 2
    }
}
