internal import FoundationEssentials
internal import HalcyonConcurrency

extension DiskCache {
    /// Returns the path of a file with the body of `key` that ends with a file extension, for programs that recognize
    /// files by it; nil if there is no such entry, or if it has expired.
    ///
    /// The path is a symbolic link to the file of the body, so that it takes no space, and that nothing of the body is
    /// left when its entry is removed. A body that lies in the index is moved into a file of its own. The file must not
    /// be changed, and may be removed at any time.
    ///
    /// - Parameter fileExtension: without a dot. Control characters, slashes, and dots at its ends are left out, and so
    ///   is what is beyond 32 bytes. If nothing is left, the path is that of the file itself.
    /// - Throws: ``DiskCacheError`` if the index or the folder cannot be written.
    public func fileLocation(for key: String, fileExtension: String) throws(DiskCacheError) -> String? {
        try failing(.write) {
            try requireWritable(.write)
            try flush()
            guard let file = try bodyFile(for: key) else { return nil }
            let fileExtension = Self.sanitized(fileExtension)
            if fileExtension.isEmpty { return layout.body(file) }
            let link = layout.link(file, fileExtension: fileExtension)
            do throws(FileSystemError) {
                try fileSystem.createFolders(layout.named)
                try fileSystem.createSymbolicLink(link.path, to: link.target)
            } catch .exists {
                // Made before: a body never changes once it has its number.
            }
            return link.path
        }
    }

    /// Returns the number of the file of a body, which is written if the body lies in the index; nil if there is no
    /// entry.
    private func bodyFile(for key: String) throws -> Int64? {
        while let row = try row(for: key) {
            if let file = row.file { return file }
            guard case .sound(let body, _) = try readBody(of: row) else {
                try withIndex { try discard(row, in: $0, because: "its body in the index is damaged", waits: true) }
                return nil
            }
            let incoming = try IncomingFile(layout, fileSystem)
            defer { incoming.close() }
            try body.withUnsafeBytes { try incoming.append($0) }
            // The entry may have been stored with full durability: its body leaves the index only once it is on the
            // device in the file.
            let awaitName = try incoming.publish(durablyBy: folderSync)
            try awaitName?()
            let isMoved = try withKey(key) { key in
                try withIndex { index in
                    try index.write { try $0.moveBody(of: key, version: row.version, to: incoming.number) }
                }
            }
            if isMoved {
                incoming.keep()
                return incoming.number
            }
            // Replaced or removed meanwhile.
        }
        return nil
    }

    private func row(for key: String) throws -> DiskIndexRow? {
        try withKey(key) { key in
            let row = try withIndex { index in try index.read { try DiskIndexRow.find(key, in: $0) } }
            return row.flatMap { isOver($0, at: now) ? nil : $0 }
        }
    }

    /// Returns a file extension that is safe as the end of a file's name.
    static func sanitized(_ fileExtension: String) -> String {
        let dot = UInt8(ascii: ".")
        var bytes = fileExtension.utf8.filter { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") }[...]
        bytes = bytes.drop { $0 == dot }.prefix(32)
        // Not within a character.
        while let last = bytes.last, last == dot || String(validating: bytes, as: UTF8.self) == nil {
            bytes = bytes.dropLast()
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Removes the links whose body is gone. A folder that cannot be listed is left to the next time.
    func removeDanglingLinks(isUsed: (Int64) throws -> Bool) throws {
        for name in (try? fileSystem.namesIfPresent(inFolder: layout.named)) ?? [] {
            guard let file = DiskLayout.file(String(name.prefix { $0 != "." })), try !isUsed(file) else { continue }
            try? fileSystem.removeFile("\(layout.named)/\(name)")
        }
    }
}
