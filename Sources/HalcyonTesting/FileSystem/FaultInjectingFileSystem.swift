public import FoundationEssentials
public import HalcyonStore
internal import HalcyonSystem

/// A file system that works until the call with a given number, and then fails in a given way.
///
/// A test runs its work with a fault at call 1, at call 2, and so on, until a run has met no fault: then every call the
/// work makes has failed once. Calls to close a file are not counted, since their failure has no effect that matters.
public final class FaultInjectingFileSystem: FileSystem {
    /// The faults that can happen at the call.
    public enum Fault: Sendable, Hashable {
        /// The call fails, once, and does nothing.
        case error(FileSystemError)
        /// The call and every call of its kind after it fail, as on a device that became full or read-only.
        case errorFromNowOn(FileSystemError)
        /// The call writes or reads only half of its bytes, which is allowed. Does nothing to other calls.
        case halfDone
        /// One bit that the call reads or writes is flipped. Does nothing to other calls.
        case flippedBit
        /// The process dies: nothing is done by this call or any later one, and the locks of its files are dropped.
        case crash
    }

    /// The calls that can fail.
    public enum Call: Sendable, Hashable, CaseIterable {
        /// The names are those of the functions of `FileSystem`.
        case openForReading, openForStatus, openForAppending, create, createUnnamed, truncate, map, read, write,
            synchronize, synchronizeFolder, lock
        case statusOfFile, statusAtPath, rename, removeFile, createFolder, removeFolder, names, freeBytes
    }

    private struct State {
        var count = 0
        var firedAt: Call?
        var isCrashed = false
        var open: Set<FileDescriptor> = []
    }

    private let base: any FileSystem
    private let fault: Fault
    private let number: Int
    private let calls: Set<Call>
    private let observer: (@Sendable (Call) -> Void)?
    private let freeBytes: (@Sendable () -> Int)?
    private let state = Lock(State())

    /// Wraps a file system.
    ///
    /// - Parameters:
    ///   - fault: The fault that happens.
    ///   - number: The call at which it happens, counted from 1, among those in `calls`.
    ///   - calls: The calls that count. Default: all.
    public init(
        _ fault: Fault,
        atCall number: Int,
        of calls: Set<Call> = Set(Call.allCases),
        base: any FileSystem = POSIXFileSystem()
    ) {
        self.fault = fault
        self.number = number
        self.calls = calls
        self.base = base
        observer = nil
        freeBytes = nil
    }

    /// Wraps a file system that never fails.
    ///
    /// - Parameters:
    ///   - observer: Called before each call, on the thread that makes it, which it may delay.
    ///   - freeBytes: Returns the bytes that are free on the device. Default: those of `base`.
    public init(
        observing observer: @escaping @Sendable (Call) -> Void = { _ in },
        freeBytes: (@Sendable () -> Int)? = nil,
        base: any FileSystem = POSIXFileSystem()
    ) {
        self.freeBytes = freeBytes
        fault = .error(.inputOutput)
        number = 0
        calls = []
        self.base = base
        self.observer = observer
    }

    /// A Boolean value that indicates whether the fault has happened.
    public var hasFired: Bool { state.withLock { $0.firedAt != nil } }

    /// The call at which the fault happened.
    public var firedAt: Call? { state.withLock { $0.firedAt } }

    /// The number of counted calls so far.
    public var callCount: Int { state.withLock { $0.count } }

    private enum Outcome {
        case normal
        case half
        case flipped
    }

    private func enter(_ call: Call) throws(FileSystemError) -> Outcome {
        observer?(call)
        let (outcome, error, toClose) = state.withLock { state -> (Outcome, FileSystemError?, Set<FileDescriptor>) in
            if state.isCrashed { return (.normal, .inputOutput, []) }
            guard calls.contains(call) else { return (.normal, nil, []) }
            state.count += 1
            if state.count > number, case .errorFromNowOn(let error) = fault, state.firedAt == call {
                return (.normal, error, [])
            }
            guard state.count == number else { return (.normal, nil, []) }
            state.firedAt = call
            switch fault {
            case .error(let error), .errorFromNowOn(let error): return (.normal, error, [])
            case .halfDone: return (.half, nil, [])
            case .flippedBit: return (.flipped, nil, [])
            case .crash:
                state.isCrashed = true
                defer { state.open = [] }
                return (.normal, .inputOutput, state.open)
            }
        }
        for descriptor in toClose {
            base.close(descriptor)
        }
        if let error { throw error }
        return outcome
    }

    private func opened(_ descriptor: FileDescriptor) -> FileDescriptor {
        state.withLock { _ = $0.open.insert(descriptor) }
        return descriptor
    }

    /// See `FileSystem.openForReading(_:)`.
    public func openForReading(_ path: String) throws(FileSystemError) -> FileDescriptor {
        _ = try enter(.openForReading)
        return opened(try base.openForReading(path))
    }

    /// See `FileSystem.openForStatus(_:)`.
    public func openForStatus(_ path: String) throws(FileSystemError) -> FileDescriptor {
        _ = try enter(.openForStatus)
        return opened(try base.openForStatus(path))
    }

    /// See `FileSystem.create(_:)`.
    public func create(_ path: String) throws(FileSystemError) -> FileDescriptor {
        _ = try enter(.create)
        return opened(try base.create(path))
    }

    /// See `FileSystem.createUnnamed(inFolder:)`.
    public func createUnnamed(inFolder path: String) throws(FileSystemError) -> FileDescriptor {
        _ = try enter(.createUnnamed)
        return opened(try base.createUnnamed(inFolder: path))
    }

    /// See `FileSystem.openForAppending(_:)`.
    public func openForAppending(_ path: String) throws(FileSystemError) -> FileDescriptor {
        _ = try enter(.openForAppending)
        return opened(try base.openForAppending(path))
    }

    /// See `FileSystem.truncate(_:to:)`.
    public func truncate(_ descriptor: FileDescriptor, to size: Int) throws(FileSystemError) {
        _ = try enter(.truncate)
        try base.truncate(descriptor, to: size)
    }

    /// See `FileSystem.map(_:size:)`.
    public func map(_ descriptor: FileDescriptor, size: Int) throws(FileSystemError) -> Data {
        _ = try enter(.map)
        return try base.map(descriptor, size: size)
    }

    /// See `FileSystem.close(_:)`.
    public func close(_ descriptor: FileDescriptor) {
        // After a crash the number may belong to another file already.
        if state.withLock({ $0.open.remove(descriptor) }) != nil { base.close(descriptor) }
    }

    /// See `FileSystem.read(_:into:at:)`.
    public func read(
        _ descriptor: FileDescriptor,
        into buffer: UnsafeMutableRawBufferPointer,
        at offset: Int
    ) throws(FileSystemError) -> Int {
        switch try enter(.read) {
        case .normal: return try base.read(descriptor, into: buffer, at: offset)
        case .half:
            let half = UnsafeMutableRawBufferPointer(rebasing: buffer[..<((buffer.count + 1) / 2)])
            return try base.read(descriptor, into: half, at: offset)
        case .flipped:
            let count = try base.read(descriptor, into: buffer, at: offset)
            if count > 0 { buffer[count / 2] ^= 0x10 }
            return count
        }
    }

    /// See `FileSystem.write(_:from:)`.
    public func write(_ descriptor: FileDescriptor, from buffer: UnsafeRawBufferPointer) throws(FileSystemError) -> Int
    {
        switch try enter(.write) {
        case .normal: return try base.write(descriptor, from: buffer)
        case .half:
            return try base.write(
                descriptor,
                from: UnsafeRawBufferPointer(rebasing: buffer[..<((buffer.count + 1) / 2)])
            )
        case .flipped:
            var bytes = Array(buffer)
            if !bytes.isEmpty { bytes[bytes.count / 2] ^= 0x10 }
            var result = Result<Int, FileSystemError>.success(0)
            bytes.withUnsafeBytes { bytes in
                result = Result { () throws(FileSystemError) in try base.write(descriptor, from: bytes) }
            }
            return try result.get()
        }
    }

    /// See `FileSystem.synchronize(_:)`.
    public func synchronize(_ descriptor: FileDescriptor) throws(FileSystemError) {
        _ = try enter(.synchronize)
        try base.synchronize(descriptor)
    }

    /// See `FileSystem.synchronizeFolder(_:)`.
    public func synchronizeFolder(_ path: String) throws(FileSystemError) {
        _ = try enter(.synchronizeFolder)
        try base.synchronizeFolder(path)
    }

    /// See `FileSystem.lock(_:waits:)`.
    public func lock(_ descriptor: FileDescriptor, waits: Bool) throws(FileSystemError) -> Bool {
        _ = try enter(.lock)
        return try base.lock(descriptor, waits: waits)
    }

    /// See `FileSystem.status(of:)`.
    public func status(of descriptor: FileDescriptor) throws(FileSystemError) -> FileStatus {
        _ = try enter(.statusOfFile)
        return try base.status(of: descriptor)
    }

    /// See `FileSystem.status(at:)`.
    public func status(at path: String) throws(FileSystemError) -> FileStatus {
        _ = try enter(.statusAtPath)
        return try base.status(at: path)
    }

    /// See `FileSystem.rename(_:to:)`.
    public func rename(_ path: String, to newPath: String) throws(FileSystemError) {
        _ = try enter(.rename)
        try base.rename(path, to: newPath)
    }

    /// See `FileSystem.removeFile(_:)`.
    public func removeFile(_ path: String) throws(FileSystemError) {
        _ = try enter(.removeFile)
        try base.removeFile(path)
    }

    /// See `FileSystem.createFolder(_:)`.
    public func createFolder(_ path: String) throws(FileSystemError) {
        _ = try enter(.createFolder)
        try base.createFolder(path)
    }

    /// See `FileSystem.removeFolder(_:)`.
    public func removeFolder(_ path: String) throws(FileSystemError) {
        _ = try enter(.removeFolder)
        try base.removeFolder(path)
    }

    /// See `FileSystem.names(inFolder:)`.
    public func names(inFolder path: String) throws(FileSystemError) -> [String] {
        _ = try enter(.names)
        return try base.names(inFolder: path)
    }

    /// See `FileSystem.freeBytes(at:)`.
    public func freeBytes(at path: String) throws(FileSystemError) -> Int {
        _ = try enter(.freeBytes)
        if let freeBytes { return freeBytes() }
        return try base.freeBytes(at: path)
    }
}
