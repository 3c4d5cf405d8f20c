import HalcyonRaster
import Testing

@testable import HalcyonConformance

@Suite("The manifest of a collection")
struct ImageManifestTests {
    @Test("has its columns found by name, in any order, among others")
    func columns() throws {
        let manifest = ImageManifest("role\tlater\tpath\theight\twidth\ntest\tx\ta.png\t2\t3\n")
        let row = try #require(manifest.rows.first)
        #expect(row.path == "a.png")
        #expect(row.size == PixelSize(3, 2))
        #expect(row["later"] == "x")
    }

    @Test("may lack columns, end its lines as Windows does, and have short lines")
    func gaps() throws {
        let manifest = ImageManifest("path\texpectation\twidth\r\na.gif\tdecodes\r\n\r\nb.gif")
        #expect(manifest.rows.map(\.path) == ["a.gif", "b.gif"])
        #expect(manifest.rows[0].expectation == .decodes)
        #expect(manifest.rows[0].size == nil)
        #expect(manifest.rows[0].pixelCheck == .none)
        #expect(manifest.rows[1].expectation == nil)
    }

    @Test("runs the rows that are tests")
    func roles() {
        let manifest = ImageManifest("path\trole\na.png\ttest\nb.txt\tlicence\nc.rgba\treference\n")
        #expect(manifest.rows.map(\.path) == ["a.png"])
        #expect(ImageManifest("").rows.isEmpty)
    }

    @Test("states frames, timing, means and references")
    func values() throws {
        let names = [
            "path", "frames", "loop", "durations_ms", "mean_rgba", "reference", "note", "alpha", "pixel_check",
        ]
        let values = [
            "a", "4", "0", "30,30.5,...", "1,2.5,3,255", "x.png y.rgba;z.rgba", "CONFLICT: b", "partial", "tol1",
        ]
        let text = names.joined(separator: "\t") + "\n" + values.joined(separator: "\t")
        let row = try #require(ImageManifest(text).rows.first)
        #expect(row.frameCount == 4)
        #expect(row.loopCount == 0)
        #expect(row.durations == [30, 30.5])
        #expect(row.means == [1, 2.5, 3, 255])
        #expect(row.references == ["x.png", "y.rgba", "z.rgba"])
        #expect(row.isInConflict)
        #expect(row.hasPartialAlpha)
        #expect(row.pixelCheck == .highBytes)
    }

    @Test("a verdict comes through as one line")
    func verdict() {
        let verdict = ImageVerdict.fail("two\nlines\tand a tab")
        #expect(ImageVerdict(verdict.description) == .fail("two lines and a tab"))
        #expect(ImageVerdict(ImageVerdict.pass.description) == .pass)
        #expect(ImageVerdict("neither") == nil)
    }
}
