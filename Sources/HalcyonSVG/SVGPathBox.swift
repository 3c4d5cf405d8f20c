internal import Glibc

/// A box around a path, as far as the path can be read (SVG 2, section 9.3): that of the ends of its segments and of the
/// points that control them. Arcs are taken to reach further than they do.
struct SVGPathBox {
    private var rest: ArraySlice<UInt8>
    private var least = SIMD2<Double>(repeating: .infinity)
    private var greatest = SIMD2<Double>(repeating: -.infinity)
    /// A Boolean value that indicates whether all places have coordinates that are numbers.
    private var isFinite = true
    private var start = SIMD2<Double>.zero
    private var point = SIMD2<Double>.zero
    /// The last point that controls a curve, or where there is none, the last point.
    private var control = SIMD2<Double>.zero

    /// The numbers that each command takes.
    private static let counts: [UInt8: Int] = [
        UInt8(ascii: "m"): 2, UInt8(ascii: "l"): 2, UInt8(ascii: "h"): 1, UInt8(ascii: "v"): 1, UInt8(ascii: "c"): 6,
        UInt8(ascii: "s"): 4, UInt8(ascii: "q"): 4, UInt8(ascii: "t"): 2, UInt8(ascii: "a"): 7,
    ]

    init(_ path: String) {
        rest = Array(path.utf8)[...]
        var command = UInt8(ascii: "z")
        while let next = firstBehindSpace() {
            if (next | 0x20) &- 0x61 < 26 {
                command = next
                rest.removeFirst()
            }
            if command | 0x20 == UInt8(ascii: "z") {
                // Numbers have no meaning behind it.
                guard command == next else { return }
                (point, control) = (start, start)
                continue
            }
            guard let numbers = numbers(of: command | 0x20) else { return }
            add(command | 0x20, numbers, isRelative: command & 0x20 != 0)
            // Further points are those of lines.
            if command | 0x20 == UInt8(ascii: "m") { command -= 1 }
        }
    }

    /// The width by the height, and a number beyond all limits where it is none.
    var area: Double {
        guard isFinite else { return 1e30 }
        guard least.x <= greatest.x else { return 0 }
        let sides = greatest - least
        let area = sides.x * sides.y
        return area < 1e30 ? area : 1e30
    }

    private mutating func add(_ command: UInt8, _ numbers: [Double], isRelative: Bool) {
        let base = isRelative ? point : .zero
        func place(_ index: Int) -> SIMD2<Double> { base + SIMD2(numbers[index], numbers[index + 1]) }
        // Where a curve goes on from the last one.
        let reflection = 2 * point - control
        let last = point
        switch command {
        case UInt8(ascii: "h"): point.x = base.x + numbers[0]
        case UInt8(ascii: "v"): point.y = base.y + numbers[0]
        default: point = place(numbers.count - 2)
        }
        control = point
        switch command {
        case UInt8(ascii: "m"): start = point
        case UInt8(ascii: "c"):
            cover(place(0))
            control = place(2)
        case UInt8(ascii: "s"):
            cover(reflection)
            control = place(0)
        case UInt8(ascii: "q"): control = place(0)
        case UInt8(ascii: "t"): control = reflection
        case UInt8(ascii: "a"):
            let radii = SIMD2(abs(numbers[0]), abs(numbers[1]))
            let (long, short) = (radii.max(), radii.min())
            guard short > 0 else { break }
            // An ellipse that is too small for its ends is enlarged (SVG 2, section 9.5.1), and nothing on it is further from
            // one end than its longer axis.
            let way = point - last
            let distance = (way * way).sum().squareRoot()
            var half = SIMD2(repeating: distance) / (2 * short)
            // A larger angle may be that of another direction by the last bits of a number.
            if abs(numbers[2]) <= 3_600 {
                let (sine, cosine) = (sin(numbers[2] * .pi / 180), cos(numbers[2] * .pi / 180))
                half = SIMD2(cosine * way.x + sine * way.y, cosine * way.y - sine * way.x) / (2 * radii)
            }
            var reach = 2 * long * max(1, (half * half).sum().squareRoot())
            // The shorter arc is, on a circle, no further from one end than the other end.
            if numbers[3] == 0 { reach = min(reach, distance * long / short) }
            cover(point - SIMD2(repeating: reach))
            cover(point + SIMD2(repeating: reach))
        default: break
        }
        cover(control)
        cover(point)
    }

    private mutating func cover(_ place: SIMD2<Double>) {
        isFinite = isFinite && place.x.isFinite && place.y.isFinite
        least.replace(with: place, where: place .< least)
        greatest.replace(with: place, where: place .> greatest)
    }

    private mutating func firstBehindSpace() -> UInt8? {
        rest = rest.drop { $0 <= 0x20 || $0 == UInt8(ascii: ",") }
        return rest.first
    }

    private mutating func numbers(of command: UInt8) -> [Double]? {
        guard let count = Self.counts[command] else { return nil }
        var numbers: [Double] = []
        for index in 0..<count {
            // The flags of an arc are of one digit, which the next number may follow at once.
            let isFlag = command == UInt8(ascii: "a") && (3...4).contains(index)
            guard let number = number(isFlag: isFlag) else { return nil }
            numbers.append(number)
        }
        return numbers
    }

    private mutating func number(isFlag: Bool) -> Double? {
        guard let first = firstBehindSpace() else { return nil }
        if isFlag { return rest.popFirst() == UInt8(ascii: "0") ? 0 : 1 }
        let text = rest
        if first == UInt8(ascii: "-") || first == UInt8(ascii: "+") { rest.removeFirst() }
        var count = skipDigits()
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            count += skipDigits()
        }
        guard count > 0 else { return nil }
        if let letter = rest.first, letter | 0x20 == UInt8(ascii: "e") {
            let mantissa = rest
            rest.removeFirst()
            if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { rest.removeFirst() }
            if skipDigits() == 0 { rest = mantissa }
        }
        return Double(String(decoding: text[..<rest.startIndex], as: UTF8.self)) ?? .nan
    }

    /// Returns the number of the digits that are passed over.
    private mutating func skipDigits() -> Int {
        let count = rest.count
        rest = rest.drop { $0 &- 0x30 < 10 }
        return count - rest.count
    }
}
