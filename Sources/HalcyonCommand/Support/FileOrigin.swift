internal import FoundationEssentials
internal import Glibc
internal import Halcyon
internal import HalcyonSystem

/// The request that a file was made for, as the file's extended attributes say, for any later run and process.
///
/// `user.halcyon.request` decides whether two requests are the same, and `user.halcyon.content` whether the file is still
/// the one that was written: programs that write into it leave its attributes. `user.halcyon.source` decides whether an image
/// that is a file itself is as it was. `user.xdg.origin.url` is for people and other programs, under the name that wget and
/// curl write.
struct FileOrigin: Sendable {
    static let requestAttribute = "user.halcyon.request"
    static let contentAttribute = "user.halcyon.content"
    static let urlAttribute = "user.xdg.origin.url"
    /// Set to "1" at a file of an image that was cut short or damaged, which the next run loads again.
    static let partialAttribute = "user.halcyon.partial"
    /// The state of the file that the image is (``state(ofFileAt:)``); none at a file of an image from elsewhere.
    static let sourceAttribute = "user.halcyon.source"

    /// The digits of a digest of URL and output options: 32 hexadecimal ones, of SHA-256.
    let request: String
    /// Whether the image is cut short or damaged.
    var isPartial = false
    /// The state of the file that the image is, before it is read; `nil` for an image from elsewhere.
    var source: String?
    /// The URL without what may be a secret, since everyone who may read the file may read its attributes; `nil` for
    /// paths and data URLs.
    private let url: String?

    /// - Parameter options: The options that change the file's content, in one way of writing them.
    init(_ argument: SourceArgument, options: [String]) {
        var identity = ["halcyon 1", options.joined(separator: " ")]
        if let (user, rest) = argument.userAndRest {
            // With the key of this installation: tried against a plain digest, a weak password would be found.
            var request = TransferRequest(url: URL(filePath: "/"))
            request.credential = .basic(user: user, password: "")
            identity.append(SourceArgument(text: rest).identity)
            identity.append(CredentialDigester.installation.digest(of: request) ?? "")
        } else {
            identity.append(argument.identity)
        }
        request = String(SHA256.hexadecimal(of: Array(identity.joined(separator: "\n").utf8)).prefix(32))
        url = argument.publicURL
    }

    /// Notes the origin at an open file, whose content is written.
    ///
    /// - Returns: `false` if the request cannot be noted: the file system has no attributes, or no room for one.
    func mark(_ descriptor: Int32, _ calls: FileCalls) -> Bool {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return false }
        do throws(FileSystemError) {
            // First, so that a file whose further attributes have no room is not taken for whole.
            if isPartial { try calls.setAttribute(descriptor, Self.partialAttribute, "1") }
            try calls.setAttribute(descriptor, Self.requestAttribute, request)
            try calls.setAttribute(descriptor, Self.contentAttribute, Self.content(status))
            if let source { try calls.setAttribute(descriptor, Self.sourceAttribute, source) }
        } catch {
            return false
        }
        // Only told: a URL that is too long for the file system changes nothing.
        if let url { try? calls.setAttribute(descriptor, Self.urlAttribute, url) }
        return true
    }

    /// Returns what tells the file at a path, and its content, from all others that are there at another time, such as through
    /// a link that leads elsewhere by then; `nil` if there is none. Its device has another number after each start of some
    /// machines.
    static func state(ofFileAt path: String) -> String? {
        var status = stat()
        guard FilePath.withCString(path, { stat($0, &status) }) == 0 else { return nil }
        // No program sets back the time of the last change of any kind.
        return "\(status.st_ino) \(content(status)) \(status.st_ctim.tv_sec) \(status.st_ctim.tv_nsec)"
    }

    /// Returns what tells a content from later ones: the number of its bytes, and when it was written, seconds and
    /// nanoseconds.
    private static func content(_ status: stat) -> String {
        "\(status.st_size) \(status.st_mtim.tv_sec) \(status.st_mtim.tv_nsec)"
    }

    /// Returns whether a file still has the content that was noted. Archives and some file systems keep whole seconds.
    private static func isContent(_ noted: String, of status: stat) -> Bool {
        let second = "\(status.st_size) \(status.st_mtim.tv_sec)"
        if noted == second || noted == content(status) { return true }
        return status.st_mtim.tv_nsec == 0 && noted.hasPrefix(second + " ")
    }

    /// Returns whether the regular file at a path is of this request. One without the attribute is another's, such as
    /// the user's own.
    ///
    /// - Parameter isNamed: A Boolean value that indicates whether the file's name tells the request, so that a file
    ///   without the attribute is of this request too.
    func isOrigin(ofFileAt path: String, isNamed: Bool, _ calls: FileCalls) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
        do throws(FileSystemError) {
            guard try calls.attribute(path, Self.requestAttribute) == request else { return false }
            return Self.isContent(try calls.attribute(path, Self.contentAttribute), of: status)
        } catch {
            return isNamed && Self.isAbsence(error)
        }
    }

    /// Returns whether a regular file is at a path, and has this request noted or none, whatever it holds by now.
    func mayBeOrigin(ofFileAt path: String, _ calls: FileCalls) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
        do throws(FileSystemError) {
            return try calls.attribute(path, Self.requestAttribute) == request
        } catch {
            return Self.isAbsence(error)
        }
    }

    /// Makes sure that what a server has sent cut short takes the place of no whole file of the same request.
    ///
    /// - Parameter paths: The paths that the file may get.
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/load``.
    func keepWhole(at paths: [String], source: String) throws(ImageError) {
        guard isPartial, url != nil else { return }
        let calls = FileCalls.system
        for path in paths
        where (try? calls.attribute(path, Self.requestAttribute)) == request
            && (try? calls.attribute(path, Self.partialAttribute)) == nil
        {
            // Whatever its times say; one of another length is not what was written.
            var status = stat()
            guard lstat(path, &status) == 0,
                (try? calls.attribute(path, Self.contentAttribute))?.hasPrefix("\(status.st_size) ") == true
            else { continue }
            throw ImageError(
                stage: .load,
                reason: .file(path: path, reason: "the image is cut short by now, and the whole file is kept"),
                source: source
            )
        }
    }

    /// Returns whether an error says that a file has no such attribute, or can have none; not that this user may not read it.
    private static func isAbsence(_ error: FileSystemError) -> Bool {
        error.code == Int(ENODATA) || error == .notSupported
    }

    /// Returns the regular file at a path if it has this length, and does not say that it is another request's.
    ///
    /// - Parameter request: The digits of ``request``; `nil` where they tell nothing.
    static func reported(at path: String, of request: String?, byteCount: Int?) -> Written? {
        var status = stat()
        guard FilePath.withCString(path, { stat($0, &status) }) == 0, status.st_mode & S_IFMT == S_IFREG,
            Int(status.st_size) == byteCount
        else { return nil }
        let noted = try? FileCalls.system.attribute(path, requestAttribute)
        if let request, let noted, noted != request { return nil }
        return Written(path: path, byteCount: Int(status.st_size), time: noted == nil ? status.st_mtim : nil)
    }

    /// Returns whether the file at a path is there, and was last changed, in any way, before a time in seconds since 1970.
    static func isUnchanged(_ path: String, since time: Double) -> Bool {
        var status = stat()
        guard FilePath.withCString(path, { stat($0, &status) }) == 0 else { return false }
        return Double(status.st_ctim.tv_sec) + Double(status.st_ctim.tv_nsec) / 1e9 < time
    }

    /// A file that was written for a request, and is as it was written.
    struct Written: Sendable {
        let path: String
        let byteCount: Int
        /// When it was written, on a file system that has no attributes to say what it was made of; `nil` elsewhere.
        fileprivate let time: timespec?
    }

    /// Returns the file at a path if it is of this request and has the bytes that were written for it.
    ///
    /// - Parameter isNamed: Whether the file's name tells the request; that is enough on a file system without
    ///   attributes.
    func written(at path: String, isNamed: Bool, _ calls: FileCalls) -> Written? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        let byteCount = Int(status.st_size)
        do throws(FileSystemError) {
            guard try calls.attribute(path, Self.requestAttribute) == request,
                Self.isContent(try calls.attribute(path, Self.contentAttribute), of: status)
            else { return nil }
            guard (try? calls.attribute(path, Self.partialAttribute)) == nil else { return nil }
            return Written(path: path, byteCount: byteCount, time: nil)
        } catch {
            guard isNamed, error == .notSupported else { return nil }
            return Written(path: path, byteCount: byteCount, time: status.st_mtim)
        }
    }
}

extension FileOrigin.Written {
    /// Returns whether the file was made of the one at a path as that is now. Without attributes it must have been written
    /// after the last change of that one, as `make` decides, but by the time of a change of any kind.
    func isMade(ofFileAt source: String) -> Bool {
        guard let time else {
            guard let state = FileOrigin.state(ofFileAt: source) else { return false }
            return (try? FileCalls.system.attribute(path, FileOrigin.sourceAttribute)) == state
        }
        var status = stat()
        guard FilePath.withCString(source, { stat($0, &status) }) == 0 else { return false }
        return (status.st_ctim.tv_sec, status.st_ctim.tv_nsec) < (time.tv_sec, time.tv_nsec)
    }
}
