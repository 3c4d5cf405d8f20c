import FoundationEssentials

/// Smallest profiles that carry a name: header, one tag, its text.
enum ICCProfileBytes {
    static func version2(_ name: String) -> Data {
        let text = Data(name.utf8) + [0]
        return profile(tag: Data("desc".utf8) + bytes(0) + bytes(UInt32(text.count)) + text + Data(count: 78))
    }

    static func version4(_ names: [(language: String, name: String)]) -> Data {
        var records = Data()
        var texts = Data()
        for (language, name) in names {
            let text = Data(name.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] })
            records += Data(language.utf8) + Data("US".utf8) + bytes(UInt32(text.count))
            records += bytes(UInt32(16 + names.count * 12 + texts.count))
            texts += text
        }
        return profile(tag: Data("mluc".utf8) + bytes(0) + bytes(UInt32(names.count)) + bytes(12) + records + texts)
    }

    private static func profile(tag: Data) -> Data {
        var header = Data(count: 128)
        header.replaceSubrange(16..<20, with: Data("RGB ".utf8))
        header.replaceSubrange(36..<40, with: Data("acsp".utf8))
        return header + bytes(1) + Data("desc".utf8) + bytes(144) + bytes(UInt32(tag.count)) + tag
    }

    private static func bytes(_ value: UInt32) -> Data {
        withUnsafeBytes(of: value.bigEndian) { Data($0) }
    }
}
