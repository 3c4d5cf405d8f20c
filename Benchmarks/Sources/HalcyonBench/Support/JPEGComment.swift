extension [UInt8] {
    /// Returns a JPEG file with a comment behind its first marker (ITU-T T.81, B.2.4.5): equal bodies would be stored
    /// once.
    func withJPEGComment(_ comment: String) -> [UInt8] {
        let text = Array(comment.utf8)
        return self[..<2] + [0xFF, 0xFE, 0, UInt8(text.count + 2)] + text + self[2...]
    }
}
