internal import FoundationEssentials

extension DiskCache {
    /// Returns the file of another entry that has exactly these bytes, such as the same image at several URLs; nil if
    /// there is none. The bytes are compared, because a hash may collide and a file may be damaged.
    func sharedFile(of body: Data, hash: UInt64) throws -> Int64? {
        // Of larger ones there are few equals, and comparing takes as much memory as one has bytes.
        guard body.count <= 1 << 24 else { return nil }
        let now = now
        let candidates = try withIndex { index in try index.read { try $0.files(hash: hash, size: body.count, at: now) }
        }
        for file in candidates {
            // A file that cannot be read is not shared; the next look-up of that entry deals with it.
            if let found = try? readFile(layout.body(file), size: body.count), found.0 == body { return file }
        }
        return nil
    }
}
