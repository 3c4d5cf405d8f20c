import Foundation
import HalcyonRaster
import HalcyonTesting
import Testing

@testable import HalcyonCodecs

@Suite("profiles out of proportion are ignored before a library works on them")
struct ICCTagWalkerTests {
    private static func number(_ value: Int) -> Data { withUnsafeBytes(of: UInt32(value).bigEndian) { Data($0) } }
    private static func short(_ value: Int) -> Data { withUnsafeBytes(of: UInt16(value).bigEndian) { Data($0) } }
    private static func float(_ value: Float) -> Data { number(Int(value.bitPattern)) }
    private static func head(_ type: String) -> Data { Data(type.utf8) + Data(count: 4) }

    /// Red, green and blue times a half.
    private static let matrix: Data =
        head("matf") + short(3) + short(3) + [0.5, 0, 0, 0, 0.5, 0, 0, 0, 0.5, 0, 0, 0].map(float).reduce(Data(), +)

    /// multiProcessElementsType of elements at places that count from the end of their list.
    private static func elements(_ places: [Int], in bytes: Data) -> Data {
        let start = 16 + places.count * 8
        let list = places.map { number(start + $0) + number(matrix.count) }.reduce(Data(), +)
        return head("mpet") + short(3) + short(3) + number(places.count) + list + bytes
    }

    private static func profile(_ name: String, _ tag: Data) -> Data {
        TestProfile.profile(tags: [(name, tag)])
    }

    private static func matrices(_ count: Int) -> Data {
        elements((0..<count).map { $0 * matrix.count }, in: (0..<count).map { _ in matrix }.reduce(Data(), +))
    }

    /// A curve of segments that are all 0, shared by three channels.
    private static func curves(segmentCount: Int) -> Data {
        let breaks = (1..<max(2, segmentCount)).prefix(segmentCount - 1).map { float(Float($0)) }.reduce(Data(), +)
        let segment = head("parf") + short(0) + short(0) + [1, 0, 0, 0].map(float).reduce(Data(), +)
        let curve =
            head("curf") + short(segmentCount) + short(0) + breaks
            + (0..<segmentCount).map { _ in segment }.reduce(Data(), +)
        let place = number(12 + 3 * 8) + number(curve.count)
        return elements([0], in: head("cvst") + short(3) + short(3) + place + place + place + curve)
    }

    @Test("elements: few of their own are used, many or shared ones are not")
    func elements() throws {
        #expect(ICCTagWalker.isBounded(Self.profile("D2B0", Self.matrices(5))))
        #expect(!ICCTagWalker.isBounded(Self.profile("D2B0", Self.matrices(65))))
        #expect(!ICCTagWalker.isBounded(Self.profile("D2B0", Self.elements([0, 0], in: Self.matrix))))
        let overlapping = Self.elements([0, 4], in: Self.matrix + Self.matrix)
        #expect(!ICCTagWalker.isBounded(Self.profile("D2B0", overlapping)))
        // Another tag than the first one.
        let tags = [("A2B0", Data(count: 8)), ("B2D1", Self.elements([0, 0], in: Self.matrix))]
        #expect(!ICCTagWalker.isBounded(TestProfile.profile(tags: tags)))
        let cut = Self.elements([0], in: Self.matrix.dropLast(4))
        #expect(!ICCTagWalker.isBounded(Self.profile("D2B0", cut)))
    }

    @Test("a profile of 20,000 elements that are one leaves pixels alone")
    func sharedElements() throws {
        let profile = Self.profile("D2B0", Self.elements([Int](repeating: 0, count: 20_000), in: Self.matrix))
        #expect(ColorConversion(.icc(profile)) == nil)
        var bitmap = try ExactColor.colors()
        try bitmap.convertToSRGB(from: .icc(profile))
        #expect(try firstDifference(bitmap.straightRGBA(), ExactColor.colors().straightRGBA()) == nil)
    }

    @Test("curves of elements may be shared by channels, and have some segments, not hundreds")
    func segments() {
        #expect(ICCTagWalker.isBounded(Self.profile("D2B0", Self.curves(segmentCount: 3))))
        #expect(!ICCTagWalker.isBounded(Self.profile("D2B0", Self.curves(segmentCount: 300))))
        #expect(!ICCTagWalker.isBounded(Self.profile("D2B0", Self.curves(segmentCount: 0))))
    }

    @Test("tables must lie in their tags, whatever the numbers of points, channels and entries say")
    func tables() throws {
        let table = TestProfile.table(TestProfile.sRGB) { $0 * $0 }
        #expect(ICCTagWalker.isBounded(table))
        let start = try #require(table.range(of: Data("mft2".utf8))).lowerBound
        // Inputs, outputs, points; entries of the curves before and after the table.
        for (place, value) in [(8, 15), (9, 16), (10, 255), (10, 1), (48, 255), (50, 255)] {
            var damaged = table
            damaged[start + place] = UInt8(value)
            #expect(!ICCTagWalker.isBounded(damaged), "byte \(place)")
        }
        let points = Data([255, 255, 255] + [UInt8](repeating: 0, count: 13) + [2, 0, 0, 0])
        let stages = Self.head("mAB ") + Data([3, 3, 0, 0]) + [0, 0, 0, 32, 0].map(Self.number).reduce(Data(), +)
        #expect(!ICCTagWalker.isBounded(Self.profile("A2B0", stages + points + Data(count: 600))))
        let small = Data([2, 2, 2] + [UInt8](repeating: 0, count: 13) + [2, 0, 0, 0]) + Data(count: 48)
        #expect(ICCTagWalker.isBounded(Self.profile("A2B0", stages + small)))
        let curve = Self.head("curv") + Self.number(1 << 31) + Data(count: 100)
        #expect(!ICCTagWalker.isBounded(Self.profile("rTRC", curve)))
    }

    @Test("more tags than profiles have are none")
    func tagCount() {
        let tags = { TestProfile.profile(tags: [(String, Data)](repeating: ("wtpt", Data()), count: $0)) }
        #expect(ICCTagWalker.isBounded(tags(100)))
        #expect(!ICCTagWalker.isBounded(tags(101)))
    }

    @Test("the steps for one colour are bounded, however the elements share them out")
    func steps() {
        // A matrix of 15 × 15 takes 225.
        let wide = Self.head("matf") + Self.short(15) + Self.short(15) + Data(count: 240 * 4)
        func chain(_ count: Int) -> Data {
            let places = (0..<count).map { $0 * wide.count }
            return Self.elements(places, in: (0..<count).map { _ in wide }.reduce(Data(), +))
        }
        #expect(ICCTagWalker.isBounded(Self.profile("D2B0", chain(2))))
        #expect(!ICCTagWalker.isBounded(Self.profile("D2B0", chain(3))))
    }
}
