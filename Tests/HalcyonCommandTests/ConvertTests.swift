import Halcyon
import HalcyonTesting
import Testing

@Suite struct ConvertTests {
    private let work: Workplace

    init() throws { work = try Workplace() }

    @Test("the output's name says the format", arguments: ["png", "jpg", "jpeg", "webp", "gif", "PNG"])
    func formats(fileExtension: String) async throws {
        try work.write(try Images.encoded(.png), to: "in.png")
        let run = try await work.run("convert", "in.png", "out.\(fileExtension)", "--resize", "20x20", "--mode", "fill")
        #expect(run.exitCode == 0 && run.output.isEmpty && run.error.isEmpty)
        let info = try Images.info(try work.read("out.\(fileExtension)"))
        #expect(OutputName.format(of: fileExtension) == info.format)
        #expect(info.size == PixelSize(20, 20))
    }

    private enum OutputName {
        static func format(of fileExtension: String) -> ImageFormat {
            ImageFormat(rawValue: fileExtension.lowercased() == "jpg" ? "jpeg" : fileExtension.lowercased())
        }
    }

    @Test("PAM is RGBA of 8 bit with straight alpha")
    func pam() async throws {
        var bitmap = try Bitmap(size: PixelSize(2, 1))
        bitmap.fill(PixelRect(x: 0, y: 0, width: 1, height: 1), with: Color(red: 1, green: 0, blue: 0, alpha: 0.5))
        let png = [UInt8](try ImageCodecs.standard.encode(bitmap, as: .png))
        try work.write(png, to: "in.png")
        let run = try await work.run("convert", "in.png", "out.pam")
        #expect(run.exitCode == 0)
        let bytes = try work.read("out.pam")
        let header = "P7\nWIDTH 2\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n"
        #expect(String(decoding: bytes.prefix(header.utf8.count), as: UTF8.self) == header)
        let pixels = Array(bytes.dropFirst(header.utf8.count))
        #expect(pixels.count == 8)
        #expect(pixels.first == 255 && (127...128).contains(pixels[3]) && pixels[4...] == [0, 0, 0, 0])
    }

    @Test("an image that is cut short is converted as far as it can be read, with a warning")
    func partial() async throws {
        try work.write(try Images.encoded(.jpeg, width: 200, height: 200).dropLast(100), to: "in.jpg")
        let run = try await work.run("convert", "in.jpg", "out.png")
        #expect(run.exitCode == 0 && run.error.contains("in.jpg: the image is cut short or damaged"))
        #expect(try Images.info(try work.read("out.png")).size == PixelSize(200, 200))
        let record = try await work.run("get", "in.jpg", "--json", "-o", "out/")
        #expect(record.exitCode == 0 && record.lines[0].contains(#""partial":true"#))
    }

    @Test("an animation that is cut behind its first frames is partial in each format that it is converted to")
    func partialAnimation() async throws {
        let frames = try (0..<4).map { index in
            var bitmap = try Bitmap(size: PixelSize(30, 30))
            bitmap.fill(PixelRect(size: bitmap.size), with: Color(white: Double(index) / 4))
            return AnimationFrame(bitmap: bitmap, duration: 100)
        }
        for format in [ImageFormat.gif, .png, .webp] {
            let file = [UInt8](try ImageCodecs.standard.encode(frames, as: format))
            // The end alone is missing: it does not show in any frame that is there.
            for (input, isPartial) in [(file, false), (file.dropLast(format == .gif ? 1 : 12), true)] {
                try work.write(Array(input), to: "in")
                for output in ["a.gif", "a.png", "a.webp", "a.jpg"] where !output.hasSuffix(format.rawValue) {
                    let run = try await work.run("convert", "in", output, "--json")
                    #expect(run.exitCode == 0, "\(run.error)")
                    #expect(run.lines[0].contains(#""partial":\#(isPartial)"#), "\(format) to \(output)")
                }
            }
        }
    }

    @Test("- is the standard input, for info as well")
    func standardInput() async throws {
        try work.write(try Images.encoded(.png), to: "in.png")
        let run = try await work.start(["convert", "-", "out.jpg"], input: "in.png").outcome
        #expect(run.exitCode == 0, "\(run.error)")
        #expect(try Images.info(try work.read("out.jpg")).format == .jpeg)
        let info = try await work.start(["info", "-"], input: "in.png").outcome
        #expect(info.exitCode == 0 && info.output.hasPrefix("-: PNG, 40×30, "))
        // Nothing to read: no bytes are no image.
        let empty = try await work.run("convert", "-", "none.jpg")
        #expect(empty.exitCode == 1 && empty.error.hasPrefix("halcyon: "))
    }

    @Test("--frame takes a frame of an animation")
    func frame() async throws {
        var writer = try GIFWriter(size: PixelSize(4, 4), loopCount: 0)
        for white in [0.0, 1.0] {
            var bitmap = try Bitmap(size: PixelSize(4, 4))
            bitmap.fill(PixelRect(x: 0, y: 0, width: 4, height: 4), with: Color(white: white))
            try writer.append(bitmap)
        }
        try work.write([UInt8](try writer.finish()), to: "in.gif")
        for (frame, value) in [("0", UInt8(0)), ("1", 255)] {
            #expect(try await work.run("convert", "in.gif", "out.png", "--frame", frame).exitCode == 0)
            #expect(try Images.decoded(try work.read("out.png")).straightRGBA().first == value)
        }
        let info = try await work.run("info", "in.gif", "--json")
        let line = try #require(try info.records(InfoTests.Line.self).first)
        #expect(line.frames == 2 && line.durations.count == 2 && line.loop == 0)
    }

    @Test("what fails is named, and no file appears")
    func failures() async throws {
        try work.write(try Images.encoded(.gif), to: "in.gif")
        try work.write(Array("text".utf8), to: "in.txt")
        for (arguments, text) in [
            (["missing.png", "out.png"], "Loading missing.png failed: "),
            (["in.txt", "out.png"], "Decoding in.txt failed: "),
            (["in.gif", "out.png", "--frame", "7"], "there is no frame 7 among 1"),
            (["in.gif", "missing/out.png"], "Storing in.gif failed: missing/out.png: No such file or directory"),
        ] {
            let run = try await work.start(["convert"] + arguments).outcome
            #expect(run.exitCode == 1)
            #expect(run.error.contains(text), "\(run.error)")
        }
        #expect(Workplace.files(below: work.folder) == ["in.gif", "in.txt"])
    }
}
