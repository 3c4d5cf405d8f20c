internal import FoundationEssentials
internal import Halcyon

/// The form of an image in kitty's graphics protocol: a PNG in base 64, in pieces.
enum KittyImage {
    /// The most characters of a piece.
    private static let pieceLength = 4096

    /// Returns the bytes that show an image at the cursor, which stays there. An image with the same number takes the
    /// place of the earlier one.
    static func bytes(of bitmap: Bitmap, number: UInt32) throws -> [UInt8] {
        let text = [UInt8](try ImageCodecs.standard.encode(bitmap, as: .png).base64EncodedData())
        var bytes: [UInt8] = []
        for start in stride(from: 0, to: text.count, by: pieceLength) {
            let piece = text[start..<min(text.count, start + pieceLength)]
            let more = piece.endIndex < text.count ? 1 : 0
            // "q=2": the terminal answers nothing, not even errors, which the shell would take for typed text.
            let head = start == 0 ? "a=T,f=100,i=\(number),p=1,C=1,q=2,m=\(more)" : "m=\(more)"
            bytes += Array("\u{1B}_G\(head);".utf8) + piece + Array("\u{1B}\\".utf8)
        }
        return bytes
    }
}
