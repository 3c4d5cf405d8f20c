/// The alpha that the boxes of a file say its image has, whether libavif reads it or not: where it does not, it shows the
/// image as opaque, without a word.
enum AVIFItemAlpha {
    /// An item that belongs to the image as a whole.
    case ofWhole
    /// An item for each of the tiles that the image is put together of, which libavif reads from 1.0 on. With these
    /// changes, the file's image is made of them.
    case ofTiles(AVIFAmendments)
    /// An item for some of the tiles only.
    case ofSomeTiles

    /// `nil` where there is none.
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
        guard let primary = properties.primaryItem else {
            return nil
        }
        guard alpha(of: primary) == nil else {
            self = .ofWhole
            return
        }
        let tiles = Set(references.parts(of: primary))
        var alphas: [Int: Int] = [:]
        for tile in tiles { alphas[tile] = alpha(of: tile) }
        guard !alphas.isEmpty else {
            return nil
        }
        var changed = amendments
        guard alphas.count == tiles.count,
            let list = amendments.references(in: meta)
        else {
            self = .ofSomeTiles
            return
        }
        HEIFItemReferences.forEachList(reader, in: list) { tiles in
            guard tiles.type == "dimg", tiles.from == primary else {
                return true
            }
            // The list of the image is one, and each alpha belongs to one of its tiles.
            let items = tiles.items(reader).compactMap { alphas[$0] }
            if Set(items).count == items.count { changed.place(items, in: tiles, meta: meta) }
            return false
        }
        self = .ofTiles(changed)
    }
}
