import FoundationEssentials
import Glibc
import HalcyonRaster
import Synchronization
import Testing

@testable import HalcyonCodecs
@testable import HalcyonVideo

@Suite("Frames of videos in files")
struct VideoFileTests {
    private let path = "\(FileManager.default.temporaryDirectory.path)/halcyon-\(UUID().uuidString).mp4"

    private func decoder(states: [String] = []) -> any ImageDecoder {
        let states = StateSequence(states)
        return VideoDecoder(.mp4).reading(fileAt: path) { _ in states.next() }
    }

    private func decode(_ decoder: any ImageDecoder, _ frame: VideoFrame = VideoFrame()) throws -> DecodedImage {
        try decoder.decode(Data("a".utf8), options: DecodeOptions(videoFrame: frame), isCancelled: { false })
    }

    private func withFile(_ data: Data, _ body: () throws -> Void) throws {
        try data.write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        try body()
    }

    @Test("are those of the same bytes in memory")
    func same() throws {
        for name in VideoFixture.keys {
            try withFile(VideoFixture.data(name)) { () throws in
                let frame = VideoFrame(at: .seconds(1.6), tolerance: .exact)
                #expect(try VideoFixture.number(of: decode(decoder(), frame)) == 6, "\(name)")
                #expect(try decoder().info(of: Data("a".utf8), limits: .standard).size == PixelSize(32, 16))
            }
        }
    }

    @Test("need no more of a large file than its header and the frame")
    func sparse() throws {
        try withFile(VideoFixture.data("keys.mp4")) {
            // A box of 40 GB, of which nothing is on disk.
            let size: UInt64 = 40 << 30
            let header =
                [0, 0, 0, 1] + Array("free".utf8) + (0..<8).map { UInt8(truncatingIfNeeded: size >> (56 - 8 * $0)) }
            let file = try #require(fopen(path, "a"))
            fwrite(header, 1, header.count, file)
            fclose(file)
            let length = VideoFixture.data("keys.mp4").count + Int(size)
            try #require(truncate(path, off_t(length)) == 0)
            let image = try decode(decoder(), VideoFrame(at: .seconds(1), tolerance: .exact))
            #expect(VideoFixture.number(of: image) == 4)
        }
    }

    @Test("of a file in another state than the caller knows, or that changes meanwhile, are an error")
    func changed() throws {
        try withFile(VideoFixture.data("keys.mp4")) {
            for states in [["b"], ["a", "b"]] {
                #expect(throws: CodecError.corrupt(.mp4, reason: "the file changed while it was read")) {
                    try decode(decoder(states: states))
                }
            }
        }
    }

    @Test("of a file that is gone, is empty, or is no video are an error")
    func unreadable() throws {
        #expect(throws: CodecError.corrupt(.mp4, reason: "No such file or directory")) { try decode(decoder()) }
        try withFile(Data()) {
            #expect(throws: CodecError.empty) { try decode(decoder()) }
        }
        try withFile(Data("text".utf8)) {
            #expect(throws: CodecError.unknownFormat(detected: "text, and no video")) { try decode(decoder()) }
        }
    }
}

/// The states of a file, one a question; "a" from the end on.
private final class StateSequence: Sendable {
    private let states: [String]
    private let count = Atomic(0)

    init(_ states: [String]) {
        self.states = states
    }

    func next() -> Data {
        let index = count.add(1, ordering: .relaxed).oldValue
        return Data((index < states.count ? states[index] : "a").utf8)
    }
}
