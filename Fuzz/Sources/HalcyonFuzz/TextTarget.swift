import FoundationEssentials
import HTTPTypes

@testable import Halcyon
@testable import HalcyonCodecs
@testable import HalcyonHTTP

/// Readers of short text from servers and files.
enum TextTarget: String, CaseIterable, Sendable {
    /// BlurHash and ThumbHash strings.
    case placeholder
    /// The field `Accept` of a client.
    case accept
    /// The texts of a PNG file.
    case pngText = "png-text"

    func run(_ data: Data) {
        let text = String(decoding: data, as: UTF8.self)
        switch self {
        case .placeholder: readPlaceholders(data, text)
        case .accept: readAccept(text)
        case .pngText: readTexts(data)
        }
    }

    private func readPlaceholders(_ data: Data, _ text: String) {
        attempt {
            let hash = try BlurHash(text)
            let size = PixelSize(31, 17)
            for punch in [1, 0, -1e300, .infinity, .nan] as [Double] {
                let bitmap = try hash.bitmap(size: size, punch: punch)
                precondition(bitmap.size == size, "another size")
            }
        }
        attempt { check(try ThumbHash(data)) }
        attempt { check(try ThumbHash(base64: text)) }
    }

    private func check(_ hash: ThumbHash) {
        for side in [1, 32, 100] {
            let size = hash.size(longestSide: side)
            precondition(
                max(size.width, size.height) <= side && min(size.width, size.height) >= 1,
                "\(size) of \(side)"
            )
            attempt {
                let bitmap = try hash.bitmap(longestSide: side)
                precondition(bitmap.size == size, "another size")
            }
        }
    }

    /// An error of the type that the reader declares is an answer.
    private func attempt(_ body: () throws -> Void) {
        do {
            try body()
        } catch is CodecError {
        } catch {
            fatalError("an error of another type: \(error)")
        }
    }

    private func readAccept(_ text: String) {
        let field = AcceptField(text)
        for type in ["image/avif", "image/png", "image/*", "*/*", "image", ""] {
            for matchesWildcards in [false, true] {
                let weight = field.weight(of: type, matchesWildcards: matchesWildcards)
                precondition((0...1_000).contains(weight), "a weight of \(weight)")
            }
        }
    }

    /// As a whole file, and as the payload of each kind of chunk with a checksum that is right: it would not be made up.
    private func readTexts(_ data: Data) {
        let limit = 1 << 16
        var files = [data]
        for type in ["tEXt", "zTXt", "iTXt"] {
            files.append(
                Self.signature + Self.chunk("IHDR", Self.header) + Self.chunk(type, Array(data.prefix(1 << 16)))
            )
        }
        for file in files {
            attempt {
                let texts = try PNGText.texts(in: file, limit: limit)
                // A byte of Latin-1, or one that is no UTF-8, is counted before it takes up to three.
                precondition(texts.values.reduce(0) { $0 + $1.utf8.count } <= 3 * limit, "more text than the limit")
            }
        }
    }

    private static let signature = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
    /// One gray pixel of 8 bits.
    private static let header: [UInt8] = [0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0]

    static func chunk(_ type: String, _ payload: [UInt8]) -> Data {
        let content = Array(type.utf8) + payload
        var checksum: UInt32 = ~0
        for byte in content {
            checksum ^= UInt32(byte)
            for _ in 0..<8 { checksum = checksum >> 1 ^ (checksum & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
        func number(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }
        return Data(number(UInt32(payload.count)) + content + number(~checksum))
    }
}
