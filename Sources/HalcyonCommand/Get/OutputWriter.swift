internal import FoundationEssentials
internal import Glibc
internal import Halcyon
internal import HalcyonSystem

/// One file that is made of each image.
struct OutputVariant: Sendable {
    let processing: ImageProcessorChain
    /// The options that change the content of the file, in one way of writing them, for ``FileOrigin``.
    var options: [String]
    /// The number of `--sizes` that it is of, which is in its name.
    var size: Int?
    /// What makes the largest of the sizes, before the processors: the others are made of that, so that an image is decoded
    /// once.
    var base: ImageProcessorChain?
    /// The frame that is taken of an animation; `nil` for all.
    var frame: Int?

    /// Whether the file has one image, whatever the original has.
    var isStill: Bool { frame != nil }
}

/// Decides where results go and in which format, and writes them.
final class OutputWriter: Sendable {
    /// Where results go.
    enum Target: Sendable, Equatable {
        case nowhere
        case standardOutput
        case file(String)
        /// A folder, with a slash at its end.
        case folder(String)
    }

    let target: Target
    /// The requested format, else the one of the file's name; `nil` for the original's.
    private let format: OutputFormat?
    /// Whether the format is requested by itself, and not by a name.
    private let isFormatRequested: Bool
    private let encodeOptions: EncodeOptions
    /// ``EncodingArguments/identity``.
    private let encodingIdentity: String
    /// ``EncodingArguments/isNamed``.
    private let isEncodingNamed: Bool
    /// ``EncodingArguments/encodedOriginals``.
    private let encodedOriginals: Set<ImageFormat>
    /// Whether an original without loss stays so in its format, as no quality is named.
    private let keepsLossless: Bool
    /// ``NetworkArguments/identity``.
    private let requestIdentity: String?
    /// Whether originals that are kept are decoded.
    private let checksPixels: Bool
    /// What is kept of the originals' metadata.
    let metadata: MetadataKinds?
    let template: NameTemplate?
    /// Whether the extensions of the images' names are those of formats to write.
    let namesSayFormats: Bool
    /// Whether files that are there are written anew.
    private let overwrites: Bool
    /// Whether each result has the SHA-256 of its file.
    private let makesDigests: Bool
    private let leftoverAge: Int
    private let found = Lock(Found())
    /// The subfolders in which nothing is left over from killed runs, by the bytes of their paths.
    private let tidied = Lock<Set<Int>>([])

    /// What was in the folder when the run began.
    private struct Found: Sendable {
        var names = FolderNameFilter(of: "")
        /// The paths of files by their requests, where names cannot be made without the image. A list may have several names
        /// for one.
        var paths: [String: [String]] = [:]
        /// Why no file can be made in it.
        var problem: ImageError?
    }

    /// - Parameter leftoverAge: The seconds after which a file under a temporary name is left over. Default:
    ///   ``TemporaryOutput/leftoverAge``.
    init(
        target: Target,
        format: OutputFormat?,
        encoding: EncodingArguments,
        requestIdentity: String?,
        checksPixels: Bool,
        template: NameTemplate?,
        namesSayFormats: Bool,
        overwrites: Bool,
        makesDigests: Bool,
        leftoverAge: Int = TemporaryOutput.leftoverAge
    ) {
        self.target = target
        encodeOptions = encoding.options
        encodingIdentity = encoding.identity
        isEncodingNamed = encoding.isNamed
        encodedOriginals = encoding.encodedOriginals
        keepsLossless = encoding.quality == nil
        self.requestIdentity = requestIdentity
        self.checksPixels = checksPixels
        metadata = encoding.keepMetadata
        self.template = template
        self.namesSayFormats = namesSayFormats
        self.overwrites = overwrites
        self.makesDigests = makesDigests
        self.leftoverAge = leftoverAge
        let named = if case .file(let path) = target { OutputFormat(path: path) } else { nil as OutputFormat? }
        isFormatRequested = format != nil
        self.format = format ?? template?.fileExtension.flatMap(OutputFormat.init(name:)) ?? named
    }

    /// Makes the folder for the results, and reads what is in it; blocks.
    ///
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/store``.
    func prepare() throws(ImageError) {
        // A lone file's folder may have a million others, which are not looked at for it.
        if case .file(let path) = target { FileOutput.removeLeftover(of: path) }
        guard case .folder(let folder) = target else { return }
        try FileOutput.makeFolder(folder, source: "the results")
        var found = Found()
        found.names = FolderNameFilter(of: folder) { removeLeftover($0, in: folder) }
        if let template, template.needsImage, !overwrites {
            found.paths = requests(below: folder, depth: template.depth ?? .max)
        }
        // One that has everything already may be read-only.
        do throws(ImageError) { try FileOutput.checkTakesFiles(folder) } catch { found.problem = error }
        self.found.withLock { [found] in $0 = found }
    }

    /// Returns why a file cannot be made, as far as that is known before its image is loaded; `nil` where it may be, also in
    /// a folder that is there below one that takes no files.
    func problem(of item: ListItem, _ variant: OutputVariant, _ origin: FileOrigin) -> ImageError? {
        guard case .folder(let folder) = target, let problem = found.withLock({ $0.problem }) else { return nil }
        // With any size and format: whether there is a folder in the name does not depend on them.
        let name = name(of: item, variant, origin, (PixelSize(1, 1), .png))
        guard !FileOutput.isFinal(problem), let slash = name.utf8.firstIndex(of: UInt8(ascii: "/")) else {
            return problem
        }
        // Which folder that is may.
        let isKnown = template.map { !$0.needsImage } ?? true
        return isKnown && !FileOutput.isFolder(folder + name[..<slash]) ? problem : nil
    }

    /// Returns the format in which a file is written; `nil` if nothing is.
    func format(for item: ListItem, _ variant: OutputVariant) -> EncodedImageFormat? {
        guard target != .nowhere else { return nil }
        let named = namedFormat(for: item)
        var encoded = named.map { EncodedImageFormat.format($0.format, encodeOptions) } ?? .original(encodeOptions)
        let isAlwaysEncoded = named.map { encodedOriginals.contains($0.format) } ?? false
        encoded.keepsOriginal = mayKeepOriginal(variant) && !isAlwaysEncoded
        encoded.keepsUndecoded = !checksPixels
        encoded.encodedOriginals = encodedOriginals
        encoded.keepsLossless = keepsLossless
        return encoded
    }

    /// Whether a file is the original, byte for byte, where that is in the format, and is of no quality, effort or order
    /// that is named.
    private func mayKeepOriginal(_ variant: OutputVariant) -> Bool {
        variant.processing == .identity && !variant.isStill
    }

    /// Returns the format for an original with metadata.
    func format(for item: ListItem, _ original: ImageInfo, _ metadata: ImageMetadata) -> EncodedImageFormat {
        let (format, options) = target(for: item, original, metadata, nil)
        return .format(format, options)
    }

    /// Returns format and options for an original with metadata.
    func target(
        for item: ListItem,
        _ original: ImageInfo,
        _ metadata: ImageMetadata?,
        _ profile: ColorProfile?
    ) -> (ImageFormat, EncodeOptions) {
        let kept = ImageCodecs.standard.canEncode(original.format) ? original.format : .png
        let format = namedFormat(for: item)?.format ?? kept
        var options = keepsLossless ? encodeOptions.keepingLossless(of: original, in: format) : encodeOptions
        options.metadata = metadata
        options.colorProfile = profile
        return (format, options)
    }

    /// Whether a result in a format that its name says would have been the original otherwise.
    func isEncodedForName(_ item: ListItem, _ variant: OutputVariant) -> Bool {
        mayKeepOriginal(variant) && !isEncodingNamed && !isFormatRequested && namedFormat(for: item) != nil
    }

    /// Returns the options of a load besides the processor.
    func options(for item: ListItem, _ variant: OutputVariant) -> [ImageOption] {
        var options: [ImageOption] = []
        if let frame = variant.frame { options += [.frame(frame), .animation(.firstFrame)] }
        let named = namedFormat(for: item)?.format
        // Samples of 16 bits stay so in the formats that have them; not where the original may be kept as it is.
        let mayBeOriginal =
            mayKeepOriginal(variant) && !isEncodingNamed
            && (named == nil || named == item.argument.fileExtension.flatMap(ImageFormatName.format) ?? named)
        let hasSixteenBits = named.map { [.png, .tiff, .jxl, .avif, .pam].contains($0) } ?? true
        if !mayBeOriginal, hasSixteenBits { options.append(.keepSixteenBits) }
        return options
    }

    func namedFormat(for item: ListItem) -> OutputFormat? {
        let name = namesSayFormats ? item.name : nil
        return format ?? name.flatMap { ImageFormatName.split($0).fileExtension }.flatMap(OutputFormat.init(name:))
    }

    /// Returns what tells the request of a file.
    ///
    /// - Parameter content: The digest of the file, for an image that only that tells from others. Default: `nil`.
    func origin(of item: ListItem, _ variant: OutputVariant, content: String? = nil) -> FileOrigin {
        var options = variant.options
        if let named = namedFormat(for: item) { options.append("format=\(named.format.rawValue)") }
        // Without those it is the original, byte for byte.
        if !options.isEmpty || isEncodingNamed { options.append(encodingIdentity) }
        if let requestIdentity, item.argument.hostAndPort != nil { options.append("sent=\(requestIdentity)") }
        if let content { options.append("content=\(content)") }
        return FileOrigin(item.argument, options: options)
    }

    /// Returns the file of an image if it is there with the bytes that were written for the same request. An image that is a
    /// file itself must be as it was then.
    func written(_ item: ListItem, _ variant: OutputVariant, _ origin: FileOrigin) async throws -> FileOrigin.Written? {
        guard !overwrites, item.argument.isLasting else { return nil }
        let file: FileOrigin.Written?
        switch target {
        case .nowhere, .standardOutput: return nil
        case .file(let path):
            file = try await FileOutput.inBackground { origin.written(at: path, isNamed: false, .system) }
        case .folder(let folder):
            let found = found.withLock { $0 }
            if let template, template.needsImage {
                guard let paths = found.paths[origin.request] else { return nil }
                file = try await FileOutput.inBackground { [self] in
                    for path in paths where isNamed(path, in: folder, for: item, variant, origin) {
                        if let file = origin.written(at: path, isNamed: false, .system) { return file }
                    }
                    return nil
                }
            } else {
                let name = name(of: item, variant, origin, nil)
                let isFlat = !name.utf8.contains(UInt8(ascii: "/"))
                let mayExist = { @Sendable (name: String) in !isFlat || found.names.mayContain(name) }
                // Most images of a first run need no other thread.
                guard FolderOutput.mayBeThere(stem: name, origin, mayExist) else { return nil }
                let extensions = likelyExtensions(item)
                file = try await FileOutput.inBackground { [self] in
                    if !isFlat { tidy(folder + name[..<Self.lastPart(of: name)]) }
                    return FolderOutput.written(
                        for: origin,
                        in: folder,
                        stem: name,
                        extensions: extensions,
                        mayExist: mayExist
                    )
                }
            }
        }
        guard let file else { return nil }
        if let path = item.argument.path, !file.isMade(ofFileAt: path) { return nil }
        return file
    }

    /// Writes the bytes of an image: to the named file, which it replaces, or into the folder, where it replaces no file
    /// of another request.
    ///
    /// An image that is cut short replaces no whole file of the same request, whether that is to be replaced or not.
    ///
    /// - Parameter there: The file of the request, which stays as it is if it has these bytes, and else goes, also where the
    ///   new one has another name, such as that of another size; `nil` for none.
    func write(
        _ data: Data,
        of loaded: GetResult.Loaded,
        _ item: ListItem,
        _ variant: OutputVariant,
        _ origin: FileOrigin,
        unlessIn there: FileOrigin.Written?
    ) async throws -> GetResult.Loaded {
        var result = loaded
        result.outputByteCount = data.count
        if target == .nowhere { return result }
        try check(loaded.format, for: item)
        var origin = origin
        if !item.argument.isLasting {
            // What was read there at another time is another image.
            origin = self.origin(of: item, variant, content: SHA256.hexadecimal(of: Array(data)))
        }
        origin.isPartial = loaded.isPartial
        let (path, time, digest) = try await FileOutput.inBackground { [self, origin] in
            let start = ContinuousClock.now
            let isThere = there.map { FileOutput.isFile($0.path, of: data) } ?? false
            let path = isThere ? there?.path : try write(data, loaded, item, variant, origin, insteadOf: there)
            if let there, let path, !FileOutput.isSameFile(path, there.path),
                origin.isOrigin(ofFileAt: there.path, isNamed: false, .system)
            {
                unlink(there.path)
            }
            let time = ContinuousClock.now - start
            return (path, time, makesDigests ? SHA256.hexadecimal(of: Array(data)) : nil)
        }
        result.output = path
        result.writeTime = time
        result.digest = digest
        return result
    }

    private func write(
        _ data: Data,
        _ loaded: GetResult.Loaded,
        _ item: ListItem,
        _ variant: OutputVariant,
        _ origin: FileOrigin,
        insteadOf there: FileOrigin.Written?
    ) throws -> String? {
        let source = item.argument.text
        if let there { try origin.keepWhole(at: [there.path], source: source) }
        switch target {
        case .nowhere: return nil
        case .standardOutput:
            try FileOutput.writeToStandardOutput(data, source: source)
            return nil
        case .file(let path):
            try origin.keepWhole(at: [path], source: source)
            try FileOutput.write(data, to: path, origin: origin, source: source)
            return path
        case .folder(let folder):
            let name = name(of: item, variant, origin, (loaded.size, loaded.format))
            let start = Self.lastPart(of: name)
            // With the slash at its end.
            let subfolder = folder + name[..<start]
            if start != name.startIndex {
                try FileOutput.makeFolder(subfolder, source: source)
                tidy(subfolder)
            }
            let file = FolderOutput(
                folder: subfolder,
                stem: String(name[start...]),
                fileExtension: fileExtension(of: item, loaded.format),
                origin: origin,
                mayBePlain: item.mayBePlain,
                source: source
            )
            let names = found.withLock { $0.names }
            // Beside a file of its own, a request's bytes are no other file's.
            if !overwrites, there == nil,
                let copy = file.copy(of: data, mayExist: { start != name.startIndex || names.mayContain($0) })
            {
                return copy
            }
            return try file.write(data)
        }
    }

    /// Returns where the part behind the last slash of a relative path begins.
    private static func lastPart(of name: String) -> String.Index {
        name.utf8.lastIndex(of: UInt8(ascii: "/")).map { name.utf8.index(after: $0) } ?? name.startIndex
    }

    /// Removes what killed runs have left in a subfolder, at its first image; blocks.
    private func tidy(_ subfolder: String) {
        guard tidied.withLock({ $0.insert(Array(subfolder.utf8).hashValue).inserted }) else { return }
        FolderNameFilter.visitNames(in: subfolder) { removeLeftover($0, in: subfolder) }
    }

    private func removeLeftover(_ name: String, in folder: String) {
        TemporaryOutput.removeLeftover(name, in: folder, age: leftoverAge)
    }

    /// Refuses to write an image under a name that says another format, unless that was requested.
    private func check(_ format: ImageFormat, for item: ListItem) throws(ImageError) {
        let itemName = namesSayFormats ? item.name : nil
        let name: String? =
            if case .file(let path) = target { path } else { template?.fileExtension.map { ".\($0)" } ?? itemName }
        guard self.format == nil, let name,
            let fileExtension = name.utf8.lastIndex(of: UInt8(ascii: ".")).map({ name[name.utf8.index(after: $0)...] }),
            let named = ImageFormatName.format(String(fileExtension)), named != format
        else { return }
        throw ImageError(
            stage: .encode,
            reason: .codec(.unsupported(named, reason: "there is no encoder for this format")),
            source: item.argument.text
        )
    }

    private func requests(below folder: String, depth: Int) -> [String: [String]] {
        var paths: [String: [String]] = [:]
        FolderNameFilter.visitNames(in: folder) { name in
            let path = folder + name
            removeLeftover(name, in: folder)
            do throws(FileSystemError) {
                paths[try FileCalls.system.attribute(path, FileOrigin.requestAttribute), default: []].append(path)
            } catch {
                // What a link leads to is outside, and may be the whole disk.
                guard depth > 0, FileOutput.isFolder(path, followsLinks: false) else { return }
                paths.merge(requests(below: path + "/", depth: depth - 1)) { $0 + $1 }
            }
        }
        return paths
    }
}
