internal import HalcyonCodecs
internal import HalcyonRaster

extension TIFFFile {
    /// The smaller version of a page that serves a caller with least work: the smallest one with at least the sides of
    /// `target`, which is meant for the upright image, or the largest one where there is no target. `nil` where none
    /// has the shape of the page.
    func reducedPage(
        of page: TIFFDirectory,
        at place: Int,
        in chain: Chain,
        target: PixelSize?
    ) -> (place: Int, directory: TIFFDirectory)? {
        let target = page.orientation.swapsSides ? target?.transposed : target
        var found: [(place: Int, directory: TIFFDirectory)] = []
        let places = Self.reducedDirectories(ofPageAt: place, in: chain)
        for place in places.prefix(Self.examinedCount) + page.subdirectories {
            // A damaged one is no reason to refuse the page itself.
            guard let directory = try? TIFFDirectory(self, at: place), directory.isReduced,
                Self.haveSameShape(directory.size, page.size)
            else {
                continue
            }
            found.append((place, directory))
        }
        guard let target else {
            return found.max { $0.directory.size.width < $1.directory.size.width }
        }
        return
            found
            .filter { $0.directory.size.width >= target.width && $0.directory.size.height >= target.height }
            .min { $0.directory.size.width < $1.directory.size.width }
    }

    /// The places of the directories of the chain that may be smaller versions of a page. In a file of several pages,
    /// these are the ones between the page and the next: the format does not say which page they belong to, and a
    /// chain that begins with one has them in another order.
    private static func reducedDirectories(ofPageAt place: Int, in chain: Chain) -> ArraySlice<Int> {
        let (directories, pages) = (chain.directories, chain.pageIndices)
        guard pages.count > 1 else {
            return directories[...]
        }
        guard pages.first == 0, let index = pages.firstIndex(where: { directories[$0] == place }) else {
            return []
        }
        let end = index + 1 < pages.count ? pages[index + 1] : directories.endIndex
        return directories[(pages[index] + 1)..<end]
    }

    /// Pyramids have a dozen levels.
    private static let examinedCount = 32

    /// Returns whether a smaller size is that of the larger one scaled, up to rounding to whole pixels.
    private static func haveSameShape(_ small: PixelSize, _ large: PixelSize) -> Bool {
        guard small.width < large.width, small.height <= large.height else {
            return false
        }
        let expected = Double(large.height) * Double(small.width) / Double(large.width)
        return abs(expected - Double(small.height)) <= max(1, expected / 50)
    }
}
