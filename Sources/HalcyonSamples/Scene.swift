/// An image as a function from a place to a colour, so that it can be drawn at any size and in any order.
protocol Scene: Sendable {
    /// The colour at a place.
    func color(at point: Point) -> RGB

    /// Returns the share of the place that is covered, from 0 to 1. Default: 1 everywhere.
    func coverage(at point: Point) -> Float
}

extension Scene {
    func coverage(at point: Point) -> Float { 1 }
}
