/// The usual names of the code points of ITU-T H.273.
enum CodePointNames {
    static func name(primaries: Int, transfer: Int) -> String {
        switch (primaries, transfer) {
        case (1, 13): "sRGB"
        case (12, 13): "Display P3"
        case (1, 1): "BT.709"
        case (9, 14), (9, 15): "BT.2020"
        default: "\(name(ofPrimaries: primaries)) \(name(ofTransfer: transfer))"
        }
    }

    private static func name(ofPrimaries code: Int) -> String {
        switch code {
        case 1: "BT.709"
        case 2: "unspecified"
        case 4: "BT.470 M"
        case 5: "BT.601 (625)"
        case 6: "BT.601 (525)"
        case 7: "SMPTE 240M"
        case 8: "film"
        case 9: "BT.2020"
        case 10: "XYZ"
        case 11: "DCI-P3"
        case 12: "P3"
        case 22: "EBU 3213"
        default: "primaries \(code)"
        }
    }

    private static func name(ofTransfer code: Int) -> String {
        switch code {
        case 1, 6, 14, 15: "BT.709"
        case 2: "unspecified"
        case 4: "gamma 2.2"
        case 5: "gamma 2.8"
        case 7: "SMPTE 240M"
        case 8: "linear"
        case 13: "sRGB"
        case 16: "PQ"
        case 17: "gamma 2.6"
        case 18: "HLG"
        default: "transfer \(code)"
        }
    }
}

extension ColorSpace {
    /// The colour space of code points: sRGB for its own, and where a file leaves both open.
    package init(primaries: Int, transfer: Int) {
        switch (primaries, transfer) {
        case (1, 13), (2, 2), (1, 2), (2, 13): self = .sRGB
        default: self = .codePoints(primaries: primaries, transfer: transfer)
        }
    }
}
