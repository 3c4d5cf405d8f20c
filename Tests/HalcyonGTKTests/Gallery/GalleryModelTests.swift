import Foundation
import Halcyon
import XCTest

@testable import HalcyonGallery

/// What the program makes of names and numbers, without a window.
@MainActor
final class GalleryModelTests: XCTestCase {
    private var folder = ""

    override func setUp() async throws {
        folder = try GalleryFixture.makeFolder()
    }

    override func tearDown() async throws {
        try FileManager.default.removeItem(atPath: folder)
    }

    private func touch(_ names: String...) throws {
        for name in names {
            let url = URL(fileURLWithPath: folder + "/" + name)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data(name.utf8).write(to: url)
        }
    }

    private func names(_ locations: [String], _ reader: ItemReader = ItemReader()) async -> [String] {
        var names: [String] = []
        for await batch in reader.batches(of: locations) { names += batch.items.map(\.name) }
        return names
    }

    /// A folder's images come before those of the folders in it, each in the order of their numbers.
    func testFolderIsReadInOrder() async throws {
        try touch("image 10.png", "image 2.JPG", "b/1.gif", "a/z.webp", "a/.hidden.png", "notes.pdf", ".git/a.png")
        let read = await names([folder])
        XCTAssertEqual(read, ["image 2.JPG", "image 10.png", "z.webp", "1.gif"])
    }

    /// A link to a folder that contains it does not lead round in circles.
    func testLinksToFoldersAreNotFollowed() async throws {
        try touch("a/1.png")
        try FileManager.default.createSymbolicLink(atPath: folder + "/a/again", withDestinationPath: folder)
        let read = await names([folder])
        XCTAssertEqual(read, ["1.png"])
    }

    /// The numbers of images and of folders in folders are bounded.
    func testReadingIsBounded() async throws {
        try touch("1.png", "2.png", "3.png", "a/4.png", "a/b/5.png")
        var reader = ItemReader()
        reader.depthLimit = 1
        let shallow = await names([folder], reader)
        XCTAssertEqual(shallow, ["1.png", "2.png", "3.png", "4.png"])
        reader.itemLimit = 2
        var batches: [ItemReader.Batch] = []
        for await batch in reader.batches(of: [folder]) { batches.append(batch) }
        XCTAssertEqual(batches.map(\.items.count), [2])
        XCTAssertEqual(batches.last?.isTruncated, true)
    }

    /// A file that is named itself is taken whatever its name, also where there is none.
    func testNamedFilesAreTaken() async throws {
        try touch("data")
        let read = await names([folder + "/data", folder + "/missing.png"])
        XCTAssertEqual(read, ["data", "missing.png"])
    }

    /// A text file holds a link or a path a line.
    func testListOfLinks() async throws {
        let text = "# images\n\n https://example.org/a%20b.png \r\nftp://example.org/x.png\n/tmp/c.png\n"
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/links.txt"))
        let read = await names([folder + "/links.txt"])
        XCTAssertEqual(read, ["a b.png", "x.png", "c.png"])
    }

    /// All words of a search have to occur, in the name or in the place.
    func testSearch() async throws {
        let item = GalleryItem(file: "/photos/Holiday/Beach 1.JPG")
        XCTAssertTrue(item.matches(["beach", "holi"]))
        XCTAssertFalse(item.matches(["beach", "winter"]))
        XCTAssertTrue(item.matches([]))
    }

    /// An image that is larger than its place fits, and one that is smaller has its own size.
    func testFittingScale() async {
        var scale = ZoomScale()
        scale.area = (width: 400, height: 300)
        scale.imageSize = PixelSize(1_600, 600)
        XCTAssertEqual(scale.factor, 0.25)
        XCTAssertEqual(scale.shownSize.width, 400)
        XCTAssertEqual(scale.shownSize.height, 150)
        scale.imageSize = PixelSize(40, 30)
        XCTAssertEqual(scale.factor, 1)
    }

    /// Zooming is bounded, and ends at the size that fits where it comes by it.
    func testZoomSteps() async {
        var scale = ZoomScale()
        scale.area = (width: 400, height: 300)
        scale.imageSize = PixelSize(800, 600)
        scale.zoom(by: 2)
        XCTAssertEqual(scale.mode, .factor(1))
        XCTAssertEqual(scale.percentage, "100 %")
        scale.zoom(by: 0.5)
        XCTAssertEqual(scale.mode, .fit)
        scale.zoom(by: 1_000)
        XCTAssertEqual(scale.factor, ZoomScale.range.upperBound)
        scale.toggle()
        XCTAssertEqual(scale.mode, .fit)
        scale.toggle()
        XCTAssertEqual(scale.mode, .factor(1))
    }

    /// Small steps, as those of a pinch or a touchpad, lead away from the size that fits, and back to it.
    func testSmallZoomSteps() async {
        var scale = ZoomScale()
        scale.area = (width: 400, height: 300)
        scale.imageSize = PixelSize(800, 600)
        for _ in 0..<10 { scale.zoom(by: 1.01) }
        XCTAssertEqual(scale.factor, 0.5 * pow(1.01, 10), accuracy: 0.001)
        for _ in 0..<10 { scale.zoom(by: 1 / 1.01) }
        XCTAssertEqual(scale.mode, .fit)
        scale.zoom(by: 1.5)
        scale.zoom(by: 0.5)
        XCTAssertEqual(scale.mode, .fit)
        scale.zoom(by: 0.5)
        XCTAssertEqual(scale.factor, 0.25)
    }

    /// A whole turn of the wheel is a step of the keyboard, a part of one is less, and none changes nothing.
    func testScrollingFactors() async {
        XCTAssertEqual(ZoomScale.factor(ofScrolling: -1), ZoomScale.step, accuracy: 0.001)
        XCTAssertEqual(ZoomScale.factor(ofScrolling: 1), 1 / ZoomScale.step, accuracy: 0.001)
        XCTAssertEqual(ZoomScale.factor(ofScrolling: 0), 1)
        XCTAssertEqual(ZoomScale.factor(ofScrolling: 0.5) * ZoomScale.factor(ofScrolling: -0.5), 1, accuracy: 0.001)
    }

    /// Numbers are shown as people read them.
    func testFigures() async {
        XCTAssertEqual(1_234_567.grouped, "1,234,567")
        XCTAssertEqual(999.grouped, "999")
        XCTAssertEqual((-1_000).grouped, "−1,000")
        XCTAssertEqual(Figure.milliseconds(.microseconds(12_345)), "12.3 ms")
    }
}
