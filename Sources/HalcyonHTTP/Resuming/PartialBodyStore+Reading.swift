internal import FoundationEssentials
internal import HalcyonSystem

extension PartialBodyStore {
    /// Reads and checks an entry whose lock is held; `nil` if it is damaged, too old or of another request.
    func read(_ key: PartialBodyKey, _ descriptor: FileDescriptor) throws(FileSystemError) -> PartialBody? {
        let status = try fileSystem.status(of: descriptor)
        guard !isOver(status.modifiedAt), status.size <= PartialBodyJournal.maximumSize else { return nil }
        let bytes = try readFile(descriptor, size: status.size)
        var size = 0
        var seed: UInt64 = 0
        guard let journal = PartialBodyJournal(bytes, size: &size, seed: &seed), journal.belongs(to: key),
            let held = journal.checkpoints.last?.end
        else { return nil }
        let file: FileDescriptor
        do throws(FileSystemError) {
            file = try fileSystem.openForAppending(body(key.name))
        } catch .notFound {
            return nil
        }
        do throws(FileSystemError) {
            guard try isSound(file, journal.checkpoints) else {
                fileSystem.close(file)
                return nil
            }
            // Bytes that a killed process wrote after its last checkpoint are removed.
            if try fileSystem.status(of: file).size > held { try fileSystem.truncate(file, to: held) }
            if status.size > size { try fileSystem.truncate(descriptor, to: size) }
        } catch {
            fileSystem.close(file)
            throw error
        }
        return PartialBody(
            store: self,
            name: key.name,
            response: journal.response,
            journal: descriptor,
            body: file,
            seed: seed,
            count: held
        )
    }

    /// Returns the name of the original of an entry; `nil` if its journal cannot be read.
    func original(of name: String) -> String? {
        guard let descriptor = try? fileSystem.openForReading(journal(name)) else { return nil }
        defer { fileSystem.close(descriptor) }
        var (size, seed) = (0, UInt64(0))
        guard let status = try? fileSystem.status(of: descriptor), status.size <= PartialBodyJournal.maximumSize,
            let bytes = try? readFile(descriptor, size: status.size)
        else { return nil }
        return PartialBodyJournal(bytes, size: &size, seed: &seed)?.key.original
    }

    func isOver(_ modifiedAt: Date) -> Bool {
        configuration.clock.now().timeIntervalSince(modifiedAt) >= configuration.lifetime
    }

    private func readFile(_ descriptor: FileDescriptor, size: Int) throws(FileSystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: size)
        let result = bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(FileSystemError) in try fileSystem.readAll(descriptor, into: buffer, at: 0) }
        }
        guard try result.get() == size else { throw .inputOutput }
        return bytes
    }

    private func isSound(
        _ file: FileDescriptor,
        _ checkpoints: [PartialBodyJournal.Checkpoint]
    ) throws(FileSystemError) -> Bool {
        let status = try fileSystem.status(of: file)
        guard status.kind == .file, let held = checkpoints.last?.end, status.size >= held else { return false }
        var buffer = [UInt8](repeating: 0, count: min(held, PartialBody.checkpointInterval))
        var offset = 0
        for checkpoint in checkpoints {
            let checksum = Checksum()
            while offset < checkpoint.end {
                let length = min(buffer.count, checkpoint.end - offset)
                let result = buffer.withUnsafeMutableBytes { buffer in
                    Result { () throws(FileSystemError) in
                        let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<length])
                        let count = try fileSystem.readAll(file, into: piece, at: offset)
                        checksum.update(UnsafeRawBufferPointer(rebasing: piece[..<count]))
                        return count
                    }
                }
                guard try result.get() == length else { return false }
                offset += length
            }
            guard checksum.value == checkpoint.checksum else { return false }
        }
        return true
    }
}
