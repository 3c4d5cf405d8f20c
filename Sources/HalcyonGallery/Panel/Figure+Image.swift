internal import CGTK
internal import Halcyon
internal import HalcyonGTK

extension Figure {
    /// Returns the figures of an image.
    ///
    /// - Parameters:
    ///   - info: The header of its file; `nil` while that is not known.
    ///   - response: The response for the whole image; `nil` while that is not there.
    static func figures(of item: GalleryItem, info: ImageInfo?, response: ImageResponse?) -> [Figure] {
        var figures = [Figure(name: "Name", value: item.name)]
        if !item.place.isEmpty {
            figures.append(Figure(name: item.path == nil ? "Server" : "Folder", value: item.place))
        }
        if let info {
            figures.append(Figure(name: "Format", value: info.format.name))
            let size = info.displaySize
            figures.append(Figure(name: "Size", value: "\(size.width) × \(size.height)"))
            figures.append(Figure(name: "Colours", value: "\(info.colorSpace), \(info.bitDepth) bit"))
            if info.frameCount > 1 { figures.append(Figure(name: "Frames", value: info.frameCount.grouped)) }
        }
        if let response {
            if response.byteCount > 0 { figures.append(Figure(name: "Bytes", value: bytes(response.byteCount))) }
            figures.append(Figure(name: "Came from", value: response.source.name))
            if response.source != .memory {
                figures.append(Figure(name: "Loaded in", value: milliseconds(response.timings.total)))
            }
        }
        return figures
    }

    /// Returns "2.1 MB".
    static func bytes(_ count: Int) -> String { takeString(g_format_size(guint64(max(0, count)))) }

    /// Returns "12.3 ms".
    static func milliseconds(_ duration: Duration) -> String {
        let tenths = Int((duration / .milliseconds(1) * 10).rounded())
        return "\((tenths / 10).grouped).\(tenths % 10) ms"
    }
}

extension Int {
    /// The number with a comma after each three digits.
    var grouped: String {
        let digits = String(magnitude)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return self < 0 ? "−" + text : text
    }
}

extension ImageResponse.Source {
    /// The name, as it is shown.
    fileprivate var name: String {
        switch self {
        case .memory: "memory"
        case .disk: "disk cache"
        case .network: "network"
        case .file: "file"
        case .data: "data"
        }
    }
}
