import FoundationEssentials
import Glibc
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import HalcyonCommand

/// Runs that are stopped at random moments, and completed by the same call.
///
/// `HALCYON_STOPPED_RUNS` and `HALCYON_STOPPED_IMAGES` set how many, and of how many images (`Scripts/stopped-runs`);
/// `HALCYON_STOPPED_SEED` repeats one.
@Suite struct StoppedRunTests {
    private static func number(_ name: String) -> UInt64? { getenv(name).flatMap { UInt64(String(cString: $0)) } }

    private static let seeds: [UInt64] =
        number("HALCYON_STOPPED_SEED").map { [$0] }
        ?? (0..<(number("HALCYON_STOPPED_RUNS") ?? 3)).map { _ in .random(in: 0...999_999) }
    private static let imageCount = Int(number("HALCYON_STOPPED_IMAGES") ?? 60)

    @Test(
        "a run that was stopped is completed by its second call, without a transfer for what was whole",
        arguments: seeds
    )
    func stopped(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let signal = try #require([SIGINT, SIGTERM, SIGKILL].randomElement(using: &random))
        let moment = Int.random(in: 1...Self.imageCount, using: &random)
        print("HALCYON_STOPPED_SEED=\(seed): signal \(signal) at request \(moment) of \(Self.imageCount)")
        let work = try Workplace()
        let image = try Images.encoded(.png)
        let (isDue, count) = (Gate(), Lock(0))
        let server = try OriginServer { request in
            let number = count.withLock { count in
                count += 1
                return count
            }
            if number == moment { isDue.open() }
            return .init(body: image + Array(request.path.utf8))
        }
        defer { server.stop() }
        let paths = (0..<Self.imageCount).map { "/\($0)/a.png" }
        try work.write(Array(paths.map { server.url($0).absoluteString + "\n" }.joined().utf8), to: "list")
        let command = ["get", "--from", "list", "-o", "out/", "--resume", "report", "--json"]

        let running = try work.start(command)
        await isDue.wait()
        running.process.send(signal: signal)
        let first = try await running.outcome
        #expect(!first.isOverdue)
        let whole = try origins(in: work, image)
        // What was said to be done is there; a killed run may have written a few files whose lines it did not print.
        let told = first.lines.compactMap { try? JSONDecoder().decode(GetLine.self, from: Data($0.utf8)) }
        #expect(told.count <= whole.count && whole.count - told.count <= (signal == SIGKILL ? 8 : 0))
        if signal != SIGKILL, first.exitCode != 0 {
            #expect(first.exitCode == 128 + signal && first.error.contains("Interrupted: \(told.count) image"))
        }

        let second = try await work.start(command).outcome
        #expect(second.exitCode == 0, "\(second.error)")
        #expect(try origins(in: work, image).sorted() == paths.sorted())
        for path in whole { #expect(server.requestCount(path) == 1, "\(path) was whole") }
        // Each image has a line that says that it is done, and its file.
        let report = String(decoding: try work.read("report"), as: UTF8.self).split(separator: "\n")
        let done = report.compactMap { try? JSONDecoder().decode(GetLine.self, from: Data($0.utf8)) }
            .filter { $0.status == "done" || $0.status == "skipped" }
        #expect(Set(done.map(\.url)).count == Self.imageCount)
        // A third call has nothing to do.
        let requests = server.requests.count
        #expect(try await work.start(command).outcome.exitCode == 0)
        #expect(server.requests.count == requests)
    }

    /// The paths of the URLs that the files came from.
    private func origins(in work: Workplace, _ image: [UInt8]) throws -> [String] {
        try Workplace.files(below: work.path("out")).filter { !$0.hasPrefix(".halcyon-") }.map { name in
            String(decoding: try work.read("out/" + name).dropFirst(image.count), as: UTF8.self)
        }
    }

    @Test("what a killed run was writing is removed by a later one, and what another writes at the moment is not")
    func leftovers() throws {
        let work = try Workplace()
        let left = TemporaryOutput.name(0x2A)
        let others = [".halcyon-1", ".halcyon-notes.txt", left + ".kept", left + "0", "a.png"]
        for name in others + [left] { try work.write([1], to: name) }
        for name in Workplace.files(below: work.folder) {
            TemporaryOutput.removeLeftover(name, in: work.folder, age: TemporaryOutput.leftoverAge)
        }
        #expect(Workplace.files(below: work.folder).count == 6)
        for name in Workplace.files(below: work.folder) {
            TemporaryOutput.removeLeftover(name, in: work.folder, age: 0)
        }
        #expect(Workplace.files(below: work.folder) == others.sorted())
    }

    @Test(
        "what a killed run was writing for a file that is named is removed by the next one, and what a stopped one is not"
    )
    func leftoverOfNamedFile() throws {
        let work = try Workplace()
        try work.write([1], to: "target.png")
        try #require(symlink("target.png", work.path("link.png")) == 0)
        for (name, file) in [("target.png", "target.png"), ("link.png", "target.png"), ("new.png", "new.png")] {
            let left = try #require(TemporaryOutput.create(in: work.folder, for: file))
            TemporaryOutput.forget(left.path)
            // Another one is taken as long as it is that of a run.
            let other = try #require(TemporaryOutput.create(in: work.folder, for: file))
            close(other.descriptor)
            #expect(other.path != left.path)
            #expect(unlink(other.path) == 0)
            try writer(.file(work.path(name)), leftoverAge: 0).prepare()
            #expect(access(left.path, F_OK) == 0, "\(name)")
            close(left.descriptor)
            try writer(.file(work.path(name)), leftoverAge: TemporaryOutput.leftoverAge).prepare()
            #expect(access(left.path, F_OK) != 0, "\(name)")
        }
    }

    @Test(
        "what a killed run was writing into a subfolder is removed with the next look at that",
        arguments: [false, true]
    )
    func leftoversBelow(isOfTemplate: Bool) async throws {
        let work = try Workplace()
        let name = TemporaryOutput.name(0x2A)
        for folder in ["out", "out/pets", "out/others"] {
            try #require(mkdir(work.path(folder), 0o700) == 0)
            try work.write([1], to: "\(folder)/\(name)")
        }
        let template = isOfTemplate ? try NameTemplate("{path}/{stem}-{width}") : nil
        let writer = try writer(.folder(work.path("out/")), template, leftoverAge: 0)
        try writer.prepare()
        let variant = OutputVariant(processing: .identity, options: [])
        let item = ListItem(index: 0, argument: SourceArgument(text: "http://e.org/a.png"), name: "pets/dog")
        #expect(try await writer.written(item, variant, writer.origin(of: item, variant)) == nil)
        // A template that needs the image finds files by looking through all folders.
        #expect(Workplace.files(below: work.path("out")) == (isOfTemplate ? [] : ["others/" + name]))
    }

    private func writer(
        _ target: OutputWriter.Target,
        _ template: NameTemplate? = nil,
        leftoverAge: Int
    ) throws -> OutputWriter {
        OutputWriter(
            target: target,
            format: nil,
            encoding: try EncodingArguments.parse([]),
            requestIdentity: nil,
            checksPixels: false,
            template: template,
            namesSayFormats: true,
            overwrites: false,
            makesDigests: false,
            leftoverAge: leftoverAge
        )
    }
}
