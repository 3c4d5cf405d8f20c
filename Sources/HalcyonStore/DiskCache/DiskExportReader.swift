package import FoundationEssentials

/// An entry of a folder that ``DiskCache/exportEntries(to:prefix:)`` wrote.
package struct DiskExportEntry: Sendable {
    package let key: String
    package let body: Data
    package let metadata: Data
    package let expiration: Expiration
}

/// Reads the entries of a folder that ``DiskCache/exportEntries(to:prefix:)`` wrote, one after the other.
///
/// Nothing of the folder is trusted: a file is only ever looked for by its number, links are not followed, and lengths
/// and checksums must agree. A copy goes on where the original was.
package struct DiskExportReader: Sendable {
    /// Closes the manifest with the last copy.
    private final class OpenFile: Sendable {
        let descriptor: FileDescriptor
        let fileSystem: any FileSystem

        init(_ descriptor: FileDescriptor, _ fileSystem: any FileSystem) {
            self.descriptor = descriptor
            self.fileSystem = fileSystem
        }

        deinit { fileSystem.close(descriptor) }
    }

    private let folder: String
    private let fileSystem: any FileSystem
    private let manifest: OpenFile
    private var lines: FileLines
    private var number = 0

    private var manifestPath: String { "\(folder)/\(ExportRecord.manifest)" }

    init(_ folder: String, _ fileSystem: any FileSystem) throws {
        self.folder = folder
        self.fileSystem = fileSystem
        let path = "\(folder)/\(ExportRecord.manifest)"
        manifest = OpenFile(try fileSystem.openForReading(path), fileSystem)
        lines = FileLines(manifest.descriptor, fileSystem)
        guard try fileSystem.status(of: manifest.descriptor).kind == .file else { throw foreign(path, "it is no file") }
        let header = try lines.next(limit: ExportRecord.lineLimit)
        guard header == Data(ExportRecord.header.utf8.dropLast()) else {
            throw foreign(path, "it is no manifest of a cache")
        }
    }

    /// The key of the next entry, whose body is not read; nil at the end.
    ///
    /// - Throws: ``DiskCacheError`` if the record is wrong.
    package mutating func nextKey() throws(DiskCacheError) -> String? {
        try nextRecord()?.key
    }

    /// The next entry with a body of at most `limit` bytes; nil at the end.
    ///
    /// - Throws: ``DiskCacheError`` if a record is wrong.
    package mutating func next(limit: Int) throws(DiskCacheError) -> DiskExportEntry? {
        while let record = try nextRecord() {
            guard record.size <= limit else { continue }
            let path = "\(folder)/\(record.file)"
            let body = try reading { () throws in try contents(path, limit: record.size) }
            guard record.matches(body) else { throw foreign(path, "it is not what was exported") }
            return DiskExportEntry(
                key: record.key,
                body: body,
                metadata: record.metadata,
                expiration: record.expiresAt.map { .date(Date(timeIntervalSince1970: $0)) } ?? .never
            )
        }
        return nil
    }

    /// The next record whose key is not too long.
    private mutating func nextRecord() throws(DiskCacheError) -> ExportRecord? {
        do {
            while let line = try lines.next(limit: ExportRecord.lineLimit) {
                number += 1
                let record = try ExportRecord(line: line, number: number)
                if record.key.utf8.count <= ExportRecord.keyLimit { return record }
            }
            return nil
        } catch let error as FileSystemError {
            throw DiskCacheError(.write, path: manifestPath, error)
        } catch {
            throw foreign(manifestPath, "record \(number) is wrong: \(error)")
        }
    }

    /// The error for a folder that has more than there is memory for.
    package var tooManyKeys: DiskCacheError { foreign(manifestPath, "its keys take too much memory") }

    /// The bytes of a regular file of at most `limit` bytes.
    private func contents(_ path: String, limit: Int) throws -> Data {
        let descriptor = try fileSystem.openForReading(path)
        defer { fileSystem.close(descriptor) }
        let status = try fileSystem.status(of: descriptor)
        guard status.kind == .file, status.size <= limit else { throw foreign(path, "it is no file of that length") }
        var bytes = Data(count: status.size)
        let count = try bytes.withUnsafeMutableBytes { try fileSystem.readAll(descriptor, into: $0, at: 0) }
        guard count == status.size else { throw foreign(path, "it was cut short") }
        return bytes
    }

    private func reading<Result>(_ body: () throws -> Result) throws(DiskCacheError) -> Result {
        do {
            return try body()
        } catch let error as DiskCacheError {
            throw error
        } catch let error as FileSystemError {
            throw DiskCacheError(.write, path: folder, error)
        } catch {
            throw DiskCacheError(.write, path: folder, reason: String(describing: error))
        }
    }

    private func foreign(_ path: String, _ reason: String) -> DiskCacheError {
        DiskCacheError(.write, path: path, reason: reason)
    }
}
