internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonRaster

/// States sizes that follow from others, where librsvg takes another one.
///
/// The side that an image leaves open follows from the other one by the shape of its pixels (SVG 2, section 12.3); to
/// librsvg it is that of the pixels. A nested drawing is as large as the `use` that places it says (section 5.6); to
/// librsvg as large as it says itself.
enum SVGStatedSizes {
    private static let sides = ["width", "height"]

    /// States such sizes in a document.
    static func apply(to markup: inout SVGMarkup) {
        guard markup.holds(anyOf: ["<image", ":image", "<use", ":use"]) else { return }
        var uses: [String: [SVGMarkup.Element]] = [:]
        for index in markup.elements.indices {
            let element = markup.elements[index]
            if element.name == "image" {
                complete(element, &markup)
            } else if element.name == "use", let target = markup.reference(of: element), target.hasPrefix("#") {
                uses[String(target.dropFirst()), default: []].append(element)
            }
        }
        // Whether each element is in a definition, or is one.
        var areDefined: [Bool] = []
        areDefined.reserveCapacity(markup.elements.count)
        for index in markup.elements.indices {
            let element = markup.elements[index]
            let isDefinition = element.parent.map { areDefined[$0] } ?? false
            areDefined.append(isDefinition || element.name == "defs")
            guard isDefinition, element.name == "svg" else { continue }
            // One that several place, in sizes of their own, cannot have all of them.
            guard let name = markup.value("id", of: element), let uses = uses[name], uses.count == 1 else { continue }
            for side in sides {
                if let length = markup.value(side, of: uses[0]), SVGLength(length) != nil {
                    markup.set(side, to: length, of: element)
                }
            }
        }
    }

    /// Gives an image the side that it leaves open, where it states the other one in pixels.
    private static func complete(_ element: SVGMarkup.Element, _ markup: inout SVGMarkup) {
        let stated = sides.map { markup.property($0, of: element).flatMap { $0 == "auto" ? nil : $0 } }
        guard (stated[0] == nil) != (stated[1] == nil), let open = stated.firstIndex(of: nil),
            case .pixels(let length) = stated[1 - open].flatMap(SVGLength.init),
            let address = markup.reference(of: element),
            let image = SVGEmbeddedImages.payloads(of: Array(address.utf8)).first,
            let size = try? ImageCodecs.standard.info(of: image).size, !size.isEmpty
        else {
            return
        }
        let shape = Double(size.width) / Double(size.height)
        markup.set(sides[open], to: "\(open == 0 ? length * shape : length / shape)", of: element)
    }
}
