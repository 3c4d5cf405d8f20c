internal import FoundationEssentials
internal import HalcyonCodecs

/// The encoding that a document declares (XML 1.0, 4.3.3), by which librsvg reads it, whatever it looks like in ASCII.
///
/// A document in UTF-7 or EBCDIC could hold references and entities that its bytes do not show; so there are only
/// encodings in which a byte of markup stands for itself, and for nothing else.
enum SVGEncoding {
    /// Those of single bytes, of UTF-8, and of East Asia: of these, bytes behind the first of a character are 0x40 or
    /// more, or digits.
    private static let names: Set<String> = [
        "utf-8", "utf8", "us-ascii", "ascii", "latin1", "koi8-r", "koi8-u",
        "euc-jp", "euc-kr", "gb2312", "gbk", "gb18030", "big5", "shift_jis",
    ]
    private static let families = ["iso-8859-": 1...16, "windows-": 1250...1258]

    /// Refuses a text whose bytes may mean something else to librsvg.
    ///
    /// - Parameter text: In an encoding that agrees with ASCII, with or without the byte order mark of UTF-8.
    static func check(_ text: Data) throws(CodecError) {
        let mark: [UInt8] = [0xef, 0xbb, 0xbf]
        let start = (text.starts(with: mark) ? text.dropFirst(mark.count) : text).drop(while: isSpace)
        // EBCDIC begins otherwise, and so does what is compressed twice.
        guard start.first == UInt8(ascii: "<") else {
            throw .corrupt(.svg, reason: "it does not begin with markup")
        }
        let opening = Array("<?xml".utf8)
        guard start.starts(with: opening), let space = start.dropFirst(opening.count).first, isSpace(space) else {
            return
        }
        // The declaration goes no further: its values hold no ">".
        var rest = start.prefix { $0 != UInt8(ascii: ">") }
        let attribute = Array("encoding".utf8)
        while let place = rest.firstRange(of: attribute) {
            rest = rest[place.upperBound...]
            guard let name = value(rest) else {
                throw .corrupt(.svg, reason: "the declaration of its encoding")
            }
            guard isKnown(name.lowercased()) else {
                throw .unsupported(.svg, reason: "the encoding \(name)")
            }
        }
    }

    private static func isKnown(_ name: String) -> Bool {
        names.contains(name)
            || families.contains { family, numbers in
                name.hasPrefix(family) && Int(name.dropFirst(family.count)).map(numbers.contains) == true
            }
    }

    /// Returns the text in quotes behind an equals sign: letters, digits and ".", "_" and "-".
    private static func value(_ text: Data) -> String? {
        let equals = text.drop(while: isSpace)
        guard equals.first == UInt8(ascii: "=") else {
            return nil
        }
        let quoted = equals.dropFirst().drop(while: isSpace)
        guard let quote = quoted.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
            let end = quoted.dropFirst().firstIndex(of: quote)
        else {
            return nil
        }
        let name = String(decoding: quoted[(quoted.startIndex + 1)..<end], as: UTF8.self)
        let isName = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        return isName && !name.isEmpty ? name : nil
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0d).contains(byte)
    }
}
