/// A scene turned by 90° counter-clockwise, which a viewer must turn clockwise again: ``Orientation/right``.
struct QuarterTurn<Upright: Scene>: Scene {
    private let upright: Upright
    private let aspect: Float

    /// - Parameter aspect: width ÷ height of the upright scene.
    init(_ upright: Upright, aspect: Float) {
        self.upright = upright
        self.aspect = aspect
    }

    func color(at point: Point) -> RGB { upright.color(at: place(of: point)) }

    func coverage(at point: Point) -> Float { upright.coverage(at: place(of: point)) }

    private func place(of point: Point) -> Point {
        Point((1 - point.y) * aspect, point.x * aspect)
    }
}
