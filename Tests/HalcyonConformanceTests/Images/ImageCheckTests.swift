import FoundationEssentials
import HalcyonCodecs
import HalcyonRaster
import HalcyonTesting
import Testing

@testable import HalcyonConformance

@Suite("The check of an image")
struct ImageCheckTests {
    private let collection: ImageCollection
    /// Opaque, half transparent, transparent.
    private let samples: [UInt8] = [10, 200, 30, 255, 255, 101, 3, 128, 0, 0, 0, 0]

    init() throws {
        collection = try ImageCollection()
        let bitmap = try ImageCollection.bitmap(samples)
        try collection.add("file", try ImageCodecs.standard.encode(bitmap, as: .png))
        try collection.add("noise", Data("nothing of the kind".utf8))
        try collection.add("reference.rgba", Data(samples))
    }

    /// The fields that are true of the file.
    private var truth: [String: String] {
        [
            "width": "3", "height": "1", "display_width": "3", "display_height": "1", "frames": "1",
            "pixel_check": "exact", "alpha": "partial", "sha256_rgba8": hash(samples),
        ]
    }

    private func hash(_ samples: [UInt8]) -> String {
        // What encoding kept of the half transparent pixel, whose colours were divided by its alpha.
        var stored = samples
        if let bitmap = try? ImageCollection.bitmap(samples) { stored = bitmap.straightRGBA() }
        return ImageCollection.hash(stored)
    }

    private func verdict(_ changes: [String: String]) -> ImageVerdict {
        collection.verdict(truth.merging(changes) { $1 })
    }

    @Test("passes what is as stated, partial alpha to the last bit")
    func asStated() {
        #expect(verdict([:]) == .pass)
    }

    @Test(
        "fails what is not as stated",
        arguments: [
            ["width": "4"], ["display_height": "2"], ["frames": "2"], ["exif_orientation": "6"],
            ["sha256_rgba8": "00"], ["expectation": "must-be-rejected"], ["path": "noise"], ["path": "missing"],
            ["pixel_check": "tolerance", "mean_rgba": "20,100,10,128"],
        ]
    )
    func otherwise(_ changes: [String: String]) {
        #expect(verdict(changes).kind == .fail)
    }

    @Test("what must be rejected passes with an error, and is told apart where other decoders accept it")
    func rejection() {
        #expect(verdict(["expectation": "must-be-rejected", "path": "noise"]).kind == .pass)
        #expect(verdict(["expectation": "must-be-rejected", "note": "CONFLICT: so does X"]).kind == .skip)
    }

    @Test("any answer will do where nothing is promised", arguments: ["no-crash", "partial-ok"])
    func anyAnswer(_ expectation: String) {
        #expect(verdict(["expectation": expectation, "path": "noise"]).kind == .pass)
        #expect(verdict(["expectation": expectation]).kind == .pass)
    }

    @Test("skips what is no image, and formats that this build has no decoder for")
    func skips() {
        #expect(verdict(["expectation": "see README"]).kind == .skip)
        let line = "file\tjxl\tdecodes"
        let row = ImageManifestRow(line: line, columns: ["path", "format", "expectation"])
        let check = ImageCheck(row, folder: collection.folder, codecs: ImageCodecs())
        #expect(check.verdict() == .skip("without a decoder for jxl"))
    }

    @Test("means within 3 pass; a transparent pixel may hide any colour")
    func means() {
        #expect(verdict(["pixel_check": "tolerance", "mean_rgba": "88,100,11,128"]).kind == .pass)
        // The third pixel could have been white.
        #expect(verdict(["pixel_check": "tolerance", "mean_rgba": "173,185,96,128"]).kind == .pass)
        #expect(verdict(["pixel_check": "tolerance", "mean_rgba": "88,100,11,140"]).kind == .fail)
    }

    @Test("the suite's own pixels decide where there are some")
    func references() throws {
        let changes = ["pixel_check": "reference", "reference": "reference.rgba"]
        #expect(verdict(changes).kind == .pass)
        var other = samples
        other[0] = 40
        try collection.add("reference.rgba", Data(other))
        #expect(verdict(changes).kind == .fail)
        // High bytes may be rounded instead of cut off, which a hash cannot say.
        other[0] = 11
        try collection.add("reference.rgba", Data(other))
        let rounded = ["pixel_check": "tol1", "sha256_rgba8": "00", "alpha": "none", "reference": "reference.rgba"]
        #expect(verdict(rounded).kind == .pass)
        other[0] = 13
        try collection.add("reference.rgba", Data(other))
        #expect(verdict(rounded).kind == .fail)
    }

    @Test("an animation has its frames, timing and pixels compared")
    func animation() throws {
        let rows: [[UInt8]] = [[255, 0, 0, 255, 0, 0, 255, 255], [0, 255, 0, 255, 255, 255, 0, 255]]
        // 2 × 1 pixels; red, blue, green, yellow; without end; 40 and 50 ms.
        var gif = Array("GIF89a".utf8) + [2, 0, 1, 0, 0xF1, 0, 0]
        gif += [255, 0, 0, 0, 0, 255, 0, 255, 0, 255, 255, 0]
        gif += [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1, 0, 0, 0]
        for (delay, codes) in [(UInt8(4), [UInt8(0x44), 0x0A]), (5, [0xD4, 0x0A])] {
            gif += [0x21, 0xF9, 4, 0, delay, 0, 0, 0, 0x2C, 0, 0, 0, 0, 2, 0, 1, 0, 0, 2, 2] + codes + [0]
        }
        try collection.add("file", Data(gif + [0x3B]))
        var hash = SHA256()
        rows.forEach { hash.update($0) }
        let truth = [
            "format": "gif", "frames": "2", "loop": "0", "durations_ms": "40,50", "alpha": "none",
            "sha256_frames": hash.finish(),
        ]
        #expect(collection.verdict(truth) == .pass("pixels not compared: none stated"))
        for change in [["frames": "3"], ["loop": "4"], ["durations_ms": "40,60"], ["sha256_frames": "00"]] {
            #expect(collection.verdict(truth.merging(change) { $1 }).kind == .fail)
        }
    }
}
