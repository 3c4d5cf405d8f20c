import Foundation

/// Builds ICC profiles (ICC.1:2022) tag by tag, right or wrong.
enum TestProfile {
    /// Red, green and blue of Display P3 in XYZ with the white D50.
    static let displayP3: [(Double, Double, Double)] = [
        (0.515_12, 0.241_20, -0.001_05), (0.291_98, 0.692_25, 0.041_89), (0.157_10, 0.066_57, 0.784_07),
    ]
    /// Those of sRGB.
    static let sRGB: [(Double, Double, Double)] = [
        (0.436_07, 0.222_49, 0.013_92), (0.385_15, 0.716_87, 0.097_08), (0.143_07, 0.060_61, 0.714_10),
    ]

    static func profile(
        version: UInt32 = 0x0430_0000,
        deviceClass: String = "mntr",
        colorSpace: String = "RGB ",
        connectionSpace: String = "XYZ ",
        tags: [(String, Data)]
    ) -> Data {
        var table = number(UInt32(tags.count))
        var payload = Data()
        let start = 128 + 4 + 12 * tags.count
        for (name, tag) in tags {
            table += Data(name.utf8) + number(UInt32(start + payload.count)) + number(UInt32(tag.count))
            payload += tag + Data(count: (4 - tag.count % 4) % 4)
        }
        var header = Data(count: 128)
        header.replaceSubrange(0..<4, with: number(UInt32(start + payload.count)))
        header.replaceSubrange(8..<12, with: number(version))
        header.replaceSubrange(12..<16, with: Data(deviceClass.utf8))
        header.replaceSubrange(16..<20, with: Data(colorSpace.utf8))
        header.replaceSubrange(20..<24, with: Data(connectionSpace.utf8))
        header.replaceSubrange(36..<40, with: Data("acsp".utf8))
        header.replaceSubrange(68..<80, with: fixed(0.9642) + fixed(1) + fixed(0.8249))
        return header + table + payload
    }

    /// Curves and a matrix.
    static func matrix(
        _ colorants: [(Double, Double, Double)],
        curve: Data,
        name: String? = nil,
        version: UInt32 = 0x0430_0000
    ) -> Data {
        var tags = zip(["rXYZ", "gXYZ", "bXYZ"], colorants).map { ($0, point($1)) }
        tags += ["rTRC", "gTRC", "bTRC"].map { ($0, curve) }
        tags.append(("wtpt", point((0.9642, 1, 0.8249))))
        if let name { tags.append(("desc", description(name))) }
        return profile(version: version, tags: tags)
    }

    static func gray(curve: Data) -> Data {
        profile(colorSpace: "GRAY", tags: [("kTRC", curve), ("wtpt", point((0.9642, 1, 0.8249)))])
    }

    /// A table (lut16Type) of two points a side: what is linear in between, as light is.
    static func table(_ colorants: [(Double, Double, Double)], curve: (Double) -> Double) -> Data {
        var tag = Data("mft2".utf8) + Data(count: 4) + Data([3, 3, 2, 0])
        for value in [1.0, 0, 0, 0, 1, 0, 0, 0, 1] { tag += fixed(value) }
        tag += short(1_024) + short(2)
        for _ in 0..<3 {
            for step in 0..<1_024 { tag += short(UInt16((curve(Double(step) / 1_023) * 65_535).rounded())) }
        }
        for corner in 0..<8 {
            let mix = (0..<3).filter { corner & (4 >> $0) != 0 }.map { colorants[$0] }
            for part in [\(Double, Double, Double).0, \.1, \.2] {
                // u1Fixed15: 32768 is 1.
                let sum = mix.reduce(0) { $0 + $1[keyPath: part] }
                tag += short(UInt16(max(0, min(65_535, (sum * 32_768).rounded()))))
            }
        }
        for _ in 0..<3 { tag += short(0) + short(65_535) }
        return profile(version: 0x0240_0000, tags: [("A2B0", tag), ("wtpt", point((0.9642, 1, 0.8249)))])
    }

    /// A table (lut16Type) for grey, and a curve that says something else.
    static func grayTable(curve: (Double) -> Double) -> Data {
        var tag = Data("mft2".utf8) + Data(count: 4) + Data([1, 3, 2, 0])
        for value in [1.0, 0, 0, 0, 1, 0, 0, 0, 1] { tag += fixed(value) }
        tag += short(1_024) + short(2)
        for step in 0..<1_024 { tag += short(UInt16((curve(Double(step) / 1_023) * 65_535).rounded())) }
        for value in [0, 0, 0, 0.9642, 1, 0.8249] { tag += short(UInt16((value * 32_768).rounded())) }
        for _ in 0..<3 { tag += short(0) + short(65_535) }
        let tags = [("A2B0", tag), ("kTRC", gamma(1)), ("wtpt", point((0.9642, 1, 0.8249)))]
        return profile(version: 0x0240_0000, colorSpace: "GRAY", tags: tags)
    }

    /// Inks that print grey: no ink is L* 100, each of cyan, magenta and yellow takes 20 of it, black all.
    static let inks: Data = {
        var tag = Data("mft1".utf8) + Data(count: 4) + [4, 3, 2, 0]
        for value in [1, 0, 0, 0, 1, 0, 0, 0, 1] as [UInt8] { tag += [0, value, 0, 0] }
        for _ in 0..<4 { tag += (0...255).map { UInt8($0) } }
        for corner in 0..<16 {
            let count = [8, 4, 2].filter { corner & $0 != 0 }.count
            tag += [corner & 1 == 1 ? 0 : UInt8(255 - 51 * count), 128, 128]
        }
        for _ in 0..<3 { tag += (0...255).map { UInt8($0) } }
        return profile(
            version: 0x0240_0000,
            deviceClass: "prtr",
            colorSpace: "CMYK",
            connectionSpace: "Lab ",
            tags: [("A2B0", tag)]
        )
    }()

    /// curveType with one gamma.
    static func gamma(_ gamma: Double) -> Data {
        Data("curv".utf8) + Data(count: 4) + number(1) + short(UInt16((gamma * 256).rounded()))
    }

    /// curveType with a table.
    static func sampledCurve(_ count: Int, _ curve: (Double) -> Double) -> Data {
        (0..<count).reduce(Data("curv".utf8) + Data(count: 4) + number(UInt32(count))) { data, step in
            data + short(UInt16((curve(Double(step) / Double(count - 1)) * 65_535).rounded()))
        }
    }

    /// parametricCurveType 3 with the numbers of sRGB.
    static let parametricCurve: Data =
        [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.040_45]
        .reduce(Data("para".utf8) + Data(count: 4) + short(3) + short(0)) { $0 + fixed($1) }

    static func description(_ name: String) -> Data {
        let text = Data(name.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] })
        return Data("mluc".utf8) + Data(count: 4) + number(1) + number(12) + Data("enUS".utf8)
            + number(UInt32(text.count))
            + number(28) + text
    }

    private static func point(_ value: (Double, Double, Double)) -> Data {
        Data("XYZ ".utf8) + Data(count: 4) + fixed(value.0) + fixed(value.1) + fixed(value.2)
    }

    private static func fixed(_ value: Double) -> Data {
        number(UInt32(bitPattern: Int32((value * 65_536).rounded())))
    }

    private static func number(_ value: UInt32) -> Data { withUnsafeBytes(of: value.bigEndian) { Data($0) } }
    private static func short(_ value: UInt16) -> Data { withUnsafeBytes(of: value.bigEndian) { Data($0) } }
}
