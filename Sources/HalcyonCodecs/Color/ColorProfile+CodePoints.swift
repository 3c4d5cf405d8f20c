extension ColorProfile {
    /// The profile that code points (ITU-T H.273) stand for; `nil` for sRGB and where both are unspecified.
    ///
    /// A code point that is unspecified is taken as in sRGB, whose primaries are those of BT.709 (1) and whose transfer
    /// characteristics have a number of their own (13).
    package init?(primaries: Int, transfer: Int) {
        let known = (
            primaries: primaries == 0 || primaries == 2 ? 1 : primaries,
            transfer: transfer == 0 || transfer == 2 ? 13 : transfer
        )
        guard known != (1, 13) else {
            return nil
        }
        self = .codePoints(primaries: known.primaries, transfer: known.transfer)
    }
}

extension ColorSpace {
    /// The colour space that a profile stands for; `nil` for none, and for an ICC profile that cannot be read.
    package init?(_ profile: ColorProfile?) {
        switch profile {
        case .icc(let data)?:
            guard let colorSpace = ICCProfile.colorSpace(of: data) else {
                return nil
            }
            self = colorSpace
        case .codePoints(let primaries, let transfer)?:
            self.init(primaries: primaries, transfer: transfer)
        case nil:
            return nil
        }
    }
}
