internal import FoundationEssentials
internal import HalcyonSystem

/// The place that the bytes of a body are written to: its file, or memory where the file fails.
///
/// Everything here blocks.
enum BodyOutput {
    /// Nothing has been written. The function makes the file, or opens the one to go on with.
    case unopened(@Sendable () throws(FileSystemError) -> any BodyFile)
    case file(any BodyFile)
    /// All bytes so far, and the file that failed.
    case memory(GatheredBytes, instead: (any BodyFile)?)
    /// The bytes in the file cannot be read back.
    case lost(TransferError, any BodyFile)
    case closed

    /// The reason why there will be no body; `nil` as long as there may be one.
    var failure: TransferError? {
        if case .lost(let failure, _) = self { failure } else { nil }
    }

    /// Adds bytes. A file that cannot be made, or written to, is copied into memory.
    mutating func write(_ piece: UnsafeRawBufferPointer) {
        open()
        switch self {
        case .unopened, .lost, .closed:
            break
        case .file(let file):
            let earlierCount = file.count
            do throws(FileSystemError) {
                try file.append(piece)
            } catch {
                self = Self.rescued(file)
                // A part of the piece may have gone into the file before it failed.
                write(UnsafeRawBufferPointer(rebasing: piece.dropFirst(file.count - earlierCount)))
            }
        case .memory(var bytes, let file):
            // Taken out, so that it is not copied.
            self = .closed
            bytes.append(piece)
            self = .memory(bytes, instead: file)
        }
    }

    /// Copies the bytes so far; `nil` once it is closed, or if they cannot be read.
    mutating func copy() -> Data? {
        // A body that is continued has bytes before its first write.
        open()
        switch self {
        case .unopened, .closed, .lost: return nil
        case .memory(let bytes, _): return bytes.data
        case .file(let file): return try? file.copy()
        }
    }

    /// Closes the file, and returns the whole body.
    mutating func finish() -> Result<Data, TransferError> {
        // A body that is continued may be whole already.
        open()
        defer { close(keepsBytes: false) }
        switch self {
        case .unopened, .closed: return .success(Data())
        case .memory(let bytes, _): return .success(bytes.data)
        case .lost(let failure, _): return .failure(failure)
        case .file(let file):
            do throws(FileSystemError) {
                return .success(try file.finish())
            } catch {
                return .failure(.temporaryFileFailed(error.description))
            }
        }
    }

    /// Closes the file, if there is one.
    mutating func close(keepsBytes: Bool) {
        switch self {
        case .file(let file), .lost(_, let file): file.close(keepsBytes: keepsBytes)
        case .memory(_, let file): file?.close(keepsBytes: keepsBytes)
        case .unopened, .closed: break
        }
        self = .closed
    }

    private mutating func open() {
        guard case .unopened(let open) = self else { return }
        do throws(FileSystemError) {
            self = .file(try open())
        } catch {
            self = .memory(GatheredBytes(), instead: nil)
        }
    }

    private static func rescued(_ file: any BodyFile) -> BodyOutput {
        do throws(FileSystemError) {
            return .memory(GatheredBytes(try file.copy()), instead: file)
        } catch {
            return .lost(.temporaryFileFailed(error.description), file)
        }
    }
}
