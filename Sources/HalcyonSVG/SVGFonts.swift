internal import CSVGShim

/// The fonts of the system, as fontconfig finds them.
enum SVGFonts {
    /// Loads the list of fonts, and returns the files and folders that text is drawn with.
    static func load() -> [String] {
        var paths: [String] = []
        withUnsafeMutablePointer(to: &paths) { paths in
            halcyon_svg_load_fonts(
                { path, paths in
                    paths?.assumingMemoryBound(to: [String].self).pointee.append(String(cString: path))
                },
                paths
            )
        }
        return paths
    }
}
