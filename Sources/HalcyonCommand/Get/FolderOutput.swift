internal import FoundationEssentials
internal import Glibc
internal import Halcyon
internal import HalcyonSystem

/// A file of results in a folder, under a name that is found as it is written.
///
/// No file is replaced but one of the same request, whichever process wrote it, and whatever other processes do
/// meanwhile. The name is that of the image; where another file has it, digits of the request's digest follow, more of
/// them as long as that is taken as well. So every run finds the file of a request under one of four names, however
/// many images share a name. Where the attributes of ``FileOrigin`` cannot be written, the digits tell the request, and
/// no name is without them; that of an image that is cut short says so too, and goes once the whole one is there.
struct FolderOutput: Sendable {
    /// The folder, with a slash at its end.
    let folder: String
    /// The name without digits and extension.
    let stem: String
    let fileExtension: String
    let origin: FileOrigin
    /// Whether the name without digits may be taken: it belongs to the first image of that name in a run, so that names
    /// do not depend on which transfer ends first.
    let mayBePlain: Bool
    /// The argument, for errors.
    let source: String
    var calls = FileCalls.system

    /// The numbers of digits in a name, in the order in which names are tried. A file system that cannot tell requests
    /// apart gets 16: of a million images with one name, two have the same with a probability below 10⁻⁷.
    private static let digitCounts = [0, 8, 16, 32]
    private static let tellingDigitCount = 16

    /// Writes the file; blocks.
    ///
    /// - Returns: Its path.
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/store``.
    func write(_ data: Data) throws -> String {
        try origin.keepWhole(at: Self.digitCounts.map(path), source: source)
        let written: String = try FileOutput.staging(data, in: folder, for: path(digits: 0), source: source) {
            descriptor in
            let isMarked = origin.mark(descriptor, calls)
            let names: [Name] =
                !isMarked && origin.isPartial
                ? [Name(path: partialPath, isTelling: true)]
                : Self.digitCounts.filter { isMarked || $0 >= Self.tellingDigitCount }
                    .map { Name(path: path(digits: $0), isTelling: !isMarked && $0 >= Self.tellingDigitCount) }
            let own = names.first(where: isOwn)
            if let own { try FileOutput.prepare(descriptor, toReplace: own.path, source: source) }
            return (names, own)
        } name: { temporary, found in
            let (names, own) = found
            if let own, try replace(own, with: temporary) { return own.path }
            for name in mayBePlain ? names : names.filter({ $0.path != path(digits: 0) }) {
                do throws(FileSystemError) {
                    try take(name.path, for: temporary)
                    return name.path
                } catch .exists {
                    // Another process may have written the same request meanwhile.
                    if isOwn(name), try replace(name, with: temporary) { return name.path }
                } catch {
                    throw FileOutput.failure(name.path, source, Int32(error.code))
                }
            }
            throw FileOutput.failure(path(digits: 0), source, EEXIST)
        }
        if !origin.isPartial, written == path(digits: Self.tellingDigitCount) { unlink(partialPath) }
        return written
    }

    /// Returns the file, under any of its names, that has these very bytes and does not say that it is another request's, as in a
    /// folder that was copied without attributes, or with other times. It stays as it is: it may be the user's own, which
    /// nothing replaces.
    ///
    /// - Parameter mayExist: As in ``written(for:in:stem:extensions:mayExist:calls:)``.
    func copy(of data: Data, mayExist: (String) -> Bool) -> String? {
        // Those with digits first: they are no other image's.
        for count in Self.digitCounts.reversed() where mayExist(Self.name(stem, origin, digits: count)) {
            let path = path(digits: count)
            if origin.mayBeOrigin(ofFileAt: path, calls), FileOutput.isFile(path, of: data) { return path }
        }
        return nil
    }

    /// Returns the file of the request, under any of its names, if it has the bytes that were written.
    ///
    /// - Parameters:
    ///   - extensions: The extensions that it may have, the likeliest first.
    ///   - mayExist: Returns `false` for names, without folder and extension, that no file of the folder has.
    static func written(
        for origin: FileOrigin,
        in folder: String,
        stem: String,
        extensions: [String],
        mayExist: (String) -> Bool,
        calls: FileCalls = .system
    ) -> FileOrigin.Written? {
        for count in digitCounts {
            let name = name(stem, origin, digits: count)
            guard mayExist(name) else { continue }
            for fileExtension in extensions {
                let path = "\(folder)\(name).\(fileExtension)"
                if let file = origin.written(at: path, isNamed: count >= tellingDigitCount, calls) { return file }
            }
        }
        return nil
    }

    /// Returns whether a file of the request may be there under any of its names.
    static func mayBeThere(stem: String, _ origin: FileOrigin, _ mayExist: (String) -> Bool) -> Bool {
        digitCounts.contains { mayExist(name(stem, origin, digits: $0)) }
    }

    /// Returns whether a path is that of a file of the request, under any of its names.
    static func isPath(
        _ path: String,
        in folder: String,
        stem: String,
        fileExtension: String,
        _ origin: FileOrigin
    ) -> Bool {
        digitCounts.contains {
            path.utf8.elementsEqual("\(folder)\(name(stem, origin, digits: $0)).\(fileExtension)".utf8)
        }
    }

    private static func name(_ stem: String, _ origin: FileOrigin, digits count: Int) -> String {
        "\(stem)\(count > 0 ? "-" : "")\(origin.request.prefix(count))"
    }

    private struct Name {
        let path: String
        /// Whether the name itself tells the request.
        let isTelling: Bool
    }

    private func path(digits count: Int) -> String {
        "\(folder)\(Self.name(stem, origin, digits: count)).\(fileExtension)"
    }

    /// The name of an image that is cut short, where no attribute tells that: no later run finds it, and it is loaded again.
    private var partialPath: String {
        "\(folder)\(Self.name(stem, origin, digits: Self.tellingDigitCount)).partial.\(fileExtension)"
    }

    private func isOwn(_ name: Name) -> Bool {
        origin.isOrigin(ofFileAt: name.path, isNamed: name.isTelling, calls)
    }

    /// Gives the temporary file a name that is free.
    private func take(_ path: String, for temporary: String) throws(FileSystemError) {
        do throws(FileSystemError) {
            return try calls.renameExclusively(temporary, path)
        } catch {
            // Not every file system has the call, NFS for one.
            if [.exists, .notFound, .noSpace].contains(error) { throw error }
        }
        do throws(FileSystemError) {
            try calls.link(temporary, path)
            unlink(temporary)
            return
        } catch {
            // Nor every one links, FAT for one.
            if error == .exists { throw error }
        }
        // Until the name has the file it has an empty one, which tells of no request: others wait for that, where the file
        // system lets them.
        let files = POSIXFileSystem()
        let lock = try? files.openForReading(folder)
        defer { if let lock { files.close(lock) } }
        if let lock { _ = try? files.lock(lock, waits: true) }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw FileSystemError(code: Int(errno)) }
        close(descriptor)
        guard rename(temporary, path) == 0 else {
            let code = errno
            unlink(path)
            throw FileSystemError(code: Int(code))
        }
    }

    /// Puts the temporary file in the place of a file of the same request. The two change their names, and the earlier
    /// file is looked at once more before it goes: what another program has put there since then gets its name back.
    ///
    /// - Returns: `false` if there is no file of the request any more.
    private func replace(_ name: Name, with temporary: String) throws -> Bool {
        // From here on it may be another's file that has the temporary name: it must not go when the process ends.
        TemporaryOutput.forget(temporary)
        let held = Name(path: temporary, isTelling: name.isTelling)
        var isExchanged = false
        while true {
            do throws(FileSystemError) {
                try calls.exchange(temporary, name.path)
                isExchanged.toggle()
            } catch {
                if isExchanged { throw strayed(from: name.path, heldAt: temporary) }
                if error == .notFound { return false }
                // Not every file system has the call.
                guard isOwn(name) else { return false }
                guard rename(temporary, name.path) == 0 else { throw FileOutput.failure(name.path, source, errno) }
                return true
            }
            guard isOwn(held) else { continue }
            if isExchanged { unlink(temporary) }
            return isExchanged
        }
    }

    /// Keeps another's file that could not get its name back, and returns the error that says where it is.
    private func strayed(from path: String, heldAt temporary: String) -> FileOutput.StrayedFile {
        let kept = temporary + ".kept"
        let place = rename(temporary, kept) == 0 ? kept : temporary
        let error = ImageError(
            stage: .store,
            reason: .file(path: path, reason: "another program replaced the file, which is now at \(place)"),
            source: source
        )
        return FileOutput.StrayedFile(error: error)
    }
}
