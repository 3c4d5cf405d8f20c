extension Bitmap {
    /// Calls `body` with this bitmap's rows for writing: the first byte of the first row, and the bytes from row to
    /// row.
    mutating func withMutableRows<Result>(_ body: (UnsafeMutablePointer<UInt8>, Int) throws -> Result) rethrows
        -> Result
    {
        let bytesPerRow = bytesPerRow
        return try withUnsafeMutableBytes { bytes in
            // A bitmap has at least one pixel, so there is an address.
            guard let start = bytes.assumingMemoryBound(to: UInt8.self).baseAddress else {
                preconditionFailure("a bitmap without memory")
            }
            return try body(start, bytesPerRow)
        }
    }

    /// Calls `body` with this bitmap's rows for reading, as ``withMutableRows(_:)`` does for writing.
    func withRows<Result>(_ body: (UnsafePointer<UInt8>, Int) throws -> Result) rethrows -> Result {
        try withUnsafeBytes { bytes in
            guard let start = bytes.assumingMemoryBound(to: UInt8.self).baseAddress else {
                preconditionFailure("a bitmap without memory")
            }
            return try body(start, bytesPerRow)
        }
    }

    /// Calls `body` with this bitmap's rows for writing and those of another for reading.
    mutating func withRows<Result>(
        reading source: Bitmap,
        _ body: (UnsafeMutablePointer<UInt8>, Int, UnsafePointer<UInt8>, Int) throws -> Result
    ) rethrows -> Result {
        try source.withRows { source, sourceBytesPerRow in
            try withMutableRows { out, outBytesPerRow in
                try body(out, outBytesPerRow, source, sourceBytesPerRow)
            }
        }
    }
}
