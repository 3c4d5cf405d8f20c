internal import FoundationEssentials

/// The beginning of a document in angle brackets: SVG, HTML or other XML.
struct MarkupPrefix {
    /// The name of the first element, in lower case, without a namespace prefix; `nil` if it is not reached.
    private var rootName: String?
    private var documentType: String?

    /// `nil` where the bytes are no markup.
    init?(_ prefix: Data) {
        let text = UTF16Text.utf8(prefix) ?? prefix
        var scanner = Scanner(rest: text[...])
        _ = scanner.skip("\u{feff}")
        scanner.skipSpace()
        guard scanner.rest.first == UInt8(ascii: "<") else {
            return nil
        }
        var isMarkup = false
        while scanner.skip("<") {
            isMarkup = true
            if scanner.skip("!--") {
                guard scanner.skipPast("-->") else { break }
            } else if scanner.skip("?") {
                guard scanner.skipPast("?>") else { break }
            } else if scanner.skip("!") {
                let declaration = scanner.name()
                scanner.skipSpace()
                if declaration == "doctype" {
                    documentType = scanner.name()
                }
                guard scanner.skipDeclaration() else { break }
            } else {
                let name = scanner.name()
                guard let first = name.utf8.first, UInt8(ascii: "a")...UInt8(ascii: "z") ~= first else {
                    return nil
                }
                rootName = name.split(separator: ":").last.map(String.init)
                break
            }
            scanner.skipSpace()
        }
        guard isMarkup else {
            return nil
        }
    }

    var isSVG: Bool { rootName == "svg" || (rootName == nil && documentType == "svg") }

    var isHTML: Bool {
        documentType == "html" || rootName.map(Self.elementsOfHTML.contains) == true
    }

    /// Elements that pages start with which leave out what HTML allows to leave out.
    private static let elementsOfHTML: Set<String> = [
        "a", "b", "body", "br", "center", "div", "font", "h1", "h2", "head", "html", "iframe", "meta", "p", "script",
        "style", "table", "title",
    ]
}

private struct Scanner {
    var rest: Data.SubSequence

    mutating func skipSpace() {
        rest = rest.drop { $0 == 0x20 || (0x09...0x0d).contains($0) }
    }

    /// Steps over `text` if the rest starts with it.
    mutating func skip(_ text: String) -> Bool {
        guard rest.starts(with: text.utf8) else {
            return false
        }
        rest = rest.dropFirst(text.utf8.count)
        return true
    }

    mutating func skipPast(_ text: String) -> Bool {
        while !rest.isEmpty {
            if skip(text) {
                return true
            }
            rest = rest.dropFirst()
        }
        return false
    }

    /// Steps over the rest of a declaration, with an internal subset in square brackets if it has one.
    mutating func skipDeclaration() -> Bool {
        var depth = 0
        while let byte = rest.first {
            rest = rest.dropFirst()
            switch byte {
            case UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: ">") where depth <= 0: return true
            default: break
            }
        }
        return false
    }

    mutating func name() -> String {
        let name = rest.prefix { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: ":"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        rest = rest.dropFirst(name.count)
        return String(decoding: name, as: UTF8.self).lowercased()
    }
}
