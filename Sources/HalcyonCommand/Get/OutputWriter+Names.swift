internal import FoundationEssentials
internal import Halcyon

/// The names of the files that results are written to.
extension OutputWriter {
    /// The name by which ``FirstNames`` knows an image; `nil` where files have none yet.
    func plainName(of item: ListItem) -> String? {
        guard case .folder = target else { return nil }
        if let template, template.needsImage { return nil }
        return name(of: item, nil, FileOrigin(item.argument, options: []), nil)
    }

    /// Returns the relative path of a file, without extension.
    func name(
        of item: ListItem,
        _ variant: OutputVariant?,
        _ origin: @autoclosure () -> FileOrigin,
        _ image: (size: PixelSize, format: ImageFormat)?
    ) -> String {
        let stem = item.name.map { ImageFormatName.split(NameTemplate.safePath($0)).stem } ?? item.argument.fileName
        guard let template else { return stem + (variant?.size.map { "-\($0)" } ?? "") }
        return template.name { field in
            switch field {
            case .index: "\(item.index)"
            case .host: item.argument.host ?? "local"
            case .path: item.argument.urlFolder
            case .stem: stem
            case .ext: image.map { OutputFormat($0.format).fileExtension } ?? ""
            case .width: image.map { "\($0.size.width)" } ?? ""
            case .height: image.map { "\($0.size.height)" } ?? ""
            case .size: variant?.size.map(String.init) ?? image.map { "\($0.size.width)" } ?? ""
            case .id: String(origin().request.prefix(8))
            }
        }
    }

    /// Returns the extension of a file: that of the format, in the spelling that a list has for it.
    func fileExtension(of item: ListItem, _ format: ImageFormat) -> String {
        let stated = namesSayFormats ? item.name.flatMap { ImageFormatName.split($0).fileExtension } : nil
        if let stated, template == nil, ImageFormatName.format(stated) == format { return stated }
        return OutputFormat(format).fileExtension
    }

    /// Returns whether a file has the name that its image gives it, with digits or without; blocks.
    func isNamed(
        _ path: String,
        in folder: String,
        for item: ListItem,
        _ variant: OutputVariant,
        _ origin: FileOrigin
    ) -> Bool {
        let codecs =
            path.hasSuffix(".pam")
            ? ImageCodecs(decoders: [WrittenPAMDecoder()], encoders: []) : UntrustedImages.codecs(for: path)
        guard let data = try? Data(contentsOf: URL(filePath: path), options: .alwaysMapped),
            let info = try? codecs.info(of: data)
        else { return false }
        let name = name(of: item, variant, origin, (info.displaySize, info.format))
        let fileExtension = fileExtension(of: item, info.format)
        return FolderOutput.isPath(path, in: folder, stem: name, fileExtension: fileExtension, origin)
    }

    /// The extensions that a file may have: that of the format, or where it is the original's that of the URL first.
    func likelyExtensions(_ item: ListItem) -> [String] {
        if let named = namedFormat(for: item) {
            let stated = fileExtension(of: item, named.format)
            return stated == named.fileExtension ? [stated] : [stated, named.fileExtension]
        }
        let first = item.argument.fileExtension.flatMap(ImageFormatName.format).map { OutputFormat($0).fileExtension }
        return (first.map { [$0] } ?? []) + ImageFormatName.extensions.filter { $0 != first }
    }
}

/// The first image of each name, of the names that were seen last: it may have the name without digits, so that names do
/// not depend on which transfer ends first.
struct FirstNames {
    /// A later image of a name that is not among these gets digits if the name's file is there, as it does in the next
    /// run.
    private static let capacity = 100_000

    private var firsts: [Int: Int] = [:]
    private var order: [Int] = []
    private var oldest = 0

    /// Returns whether an image is the first of its name, or the same as that one.
    mutating func isFirst(_ identity: String, named name: String) -> Bool {
        // By their bytes, as the system tells files apart.
        let (key, value) = (Array(name.utf8).hashValue, Array(identity.utf8).hashValue)
        if let first = firsts[key] { return first == value }
        if order.count < Self.capacity {
            order.append(key)
        } else {
            firsts.removeValue(forKey: order[oldest])
            order[oldest] = key
            oldest = (oldest + 1) % Self.capacity
        }
        firsts[key] = value
        return true
    }
}
