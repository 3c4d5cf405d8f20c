/// A matrix of 3 × 3 that turns one set of three colour components into another.
package struct ColorMatrix: Hashable, Sendable {
    /// The contributions of the first, the second and the third component.
    package var columns: [SIMD3<Double>]

    /// The matrix of these columns.
    package init(_ first: SIMD3<Double>, _ second: SIMD3<Double>, _ third: SIMD3<Double>) {
        columns = [first, second, third]
    }

    /// The matrix that changes nothing.
    package static let identity = ColorMatrix(SIMD3(1, 0, 0), SIMD3(0, 1, 0), SIMD3(0, 0, 1))

    /// A matrix that multiplies each component by a factor of its own.
    package init(scaling factors: SIMD3<Double>) {
        self.init(SIMD3(factors.x, 0, 0), SIMD3(0, factors.y, 0), SIMD3(0, 0, factors.z))
    }

    /// A Boolean value that indicates whether no component is infinite or not a number.
    package var isFinite: Bool {
        columns.allSatisfy { $0.x.isFinite && $0.y.isFinite && $0.z.isFinite }
    }

    /// The matrix that undoes this one, or `nil` where there is none.
    package var inverse: ColorMatrix? {
        let (a, b, c) = (columns[0], columns[1], columns[2])
        let rows = [Self.cross(b, c), Self.cross(c, a), Self.cross(a, b)]
        let determinant = (a * rows[0]).sum()
        guard determinant.isFinite, abs(determinant) > 1e-12 else { return nil }
        return ColorMatrix(
            SIMD3(rows[0].x, rows[1].x, rows[2].x) / determinant,
            SIMD3(rows[0].y, rows[1].y, rows[2].y) / determinant,
            SIMD3(rows[0].z, rows[1].z, rows[2].z) / determinant
        )
    }

    /// These components, turned.
    package static func * (matrix: ColorMatrix, components: SIMD3<Double>) -> SIMD3<Double> {
        matrix.columns[0] * components.x + matrix.columns[1] * components.y + matrix.columns[2] * components.z
    }

    /// The matrix that does what `second` does and then what `first` does.
    package static func * (first: ColorMatrix, second: ColorMatrix) -> ColorMatrix {
        ColorMatrix(first * second.columns[0], first * second.columns[1], first * second.columns[2])
    }

    private static func cross(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> SIMD3<Double> {
        SIMD3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
    }
}
