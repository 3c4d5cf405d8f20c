/// The alpha of an image that is put together of tiles, each with alpha of its own. libavif reads it from 1.0 on; older
/// versions show such an image as opaque, without a word.
enum AVIFAlphaOfTiles {
    /// That of all tiles; with these changes, the file's image is made of it.
    case ofAll(AVIFAmendments)
    /// That of some tiles only.
    case ofSome

    /// `nil` where no tile has alpha, or the image as a whole has.
    ///
    /// - Parameters:
    ///   - meta: What the `meta` box holds.
    ///   - amendments: The other changes to the file.
    init?(_ properties: HEIFItemProperties, meta: Range<Int>, _ amendments: AVIFAmendments) {
        let reader = amendments.reader
        let references = HEIFItemReferences(reader, meta: meta)
        // One item may be auxiliary to many.
        var known: [Int: Bool] = [:]
        func isAlpha(_ item: Int) -> Bool {
            if let isAlpha = known[item] { return isAlpha }
            let isAlpha = properties.associations(of: item).contains {
                $0.box.type == "auxC" && HEIFCodedItems.isAlpha(reader, $0.box.payload)
            }
            known[item] = isAlpha
            return isAlpha
        }
        func alpha(of item: Int) -> Int? { references.auxiliaries(of: item).first(where: isAlpha) }
        guard let primary = properties.primaryItem, alpha(of: primary) == nil else {
            return nil
        }
        let tiles = Set(references.parts(of: primary))
        var alphas: [Int: Int] = [:]
        for tile in tiles { alphas[tile] = alpha(of: tile) }
        guard !alphas.isEmpty else {
            return nil
        }
        var changed = amendments
        guard alphas.count == tiles.count,
            let list = reader.payload(ofBox: "iref", in: meta.lowerBound + 4..<meta.upperBound)
        else {
            self = .ofSome
            return
        }
        HEIFItemReferences.forEachList(reader, in: list) { tiles in
            guard tiles.type == "dimg", tiles.from == primary else {
                return true
            }
            for index in 0..<tiles.count {
                guard let alpha = tiles.item(index, reader).flatMap({ alphas[$0] }) else {
                    break
                }
                let bytes = withUnsafeBytes(of: UInt32(alpha).bigEndian, Array.init)
                changed.change(at: tiles.offset(index), to: bytes.suffix(tiles.byteCount))
            }
            return true
        }
        self = .ofAll(changed)
    }
}
