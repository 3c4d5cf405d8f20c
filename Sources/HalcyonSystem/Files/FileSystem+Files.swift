extension FileSystem {
    /// Writes all of `buffer`, however many calls that takes.
    package func writeAll(_ descriptor: FileDescriptor, from buffer: UnsafeRawBufferPointer) throws(FileSystemError) {
        var rest = buffer
        while !rest.isEmpty {
            let count = try write(descriptor, from: rest)
            guard count > 0 else { throw .inputOutput }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }

    /// Reads until `buffer` is full or the file ends, and returns the number of bytes read.
    package func readAll(
        _ descriptor: FileDescriptor,
        into buffer: UnsafeMutableRawBufferPointer,
        at offset: Int
    ) throws(FileSystemError) -> Int {
        var count = 0
        while count < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
            let piece = try read(descriptor, into: rest, at: offset + count)
            guard piece > 0 else { break }
            count += piece
        }
        return count
    }

    /// Creates a folder and those above it; it is no error if they exist.
    package func createFolders(_ path: String) throws(FileSystemError) {
        do throws(FileSystemError) {
            try createFolder(path)
        } catch .exists {
            return
        } catch .notFound {
            let parent = path.split(separator: "/").dropLast().joined(separator: "/")
            guard !parent.isEmpty else { throw .notFound }
            try createFolders("/" + parent)
            do throws(FileSystemError) {
                try createFolder(path)
            } catch .exists {
                return
            }
        }
    }

    /// Removes a file; it is no error if there is none.
    package func removeFileIfPresent(_ path: String) throws(FileSystemError) {
        do throws(FileSystemError) {
            try removeFile(path)
        } catch .notFound {
            return
        }
    }

    /// Returns the names in a folder; none if there is no such folder.
    package func namesIfPresent(inFolder path: String) throws(FileSystemError) -> [String] {
        do throws(FileSystemError) {
            return try names(inFolder: path)
        } catch .notFound {
            return []
        }
    }
}
