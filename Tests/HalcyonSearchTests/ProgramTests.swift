import FoundationEssentials
import Testing

@testable import HalcyonSearch

@Suite("Programs")
struct ProgramTests {
    @Test("are the same for the same seed")
    func seeds() {
        for seed in 0..<50 as Range<UInt64> {
            #expect(ProgramGenerator.program(seed: seed) == ProgramGenerator.program(seed: seed))
        }
        #expect(Set((0..<50).map { ProgramGenerator.program(seed: $0) }).count == 50)
    }

    @Test("are read as they were written")
    func coding() throws {
        for seed in 0..<200 as Range<UInt64> {
            let program = ProgramGenerator.program(seed: seed)
            #expect(try Program.decoded(program.encoded()) == program)
        }
    }

    @Test("are read from files with fields that are no longer there")
    func formerFields() throws {
        let file =
            #"{"seed":7,"answersAtOnce":true,"resources":[],"isObserved":false,"lines":[],"#
            + #""caches":{"lookup":"all","promotes":true}}"#
        let program = Program(seed: 7, answersAtOnce: true, resources: [], lines: [])
        #expect(try Program.decoded(Data(file.utf8)) == program)
    }

    @Test("make every kind of step, and every option of a load")
    func coverage() {
        let programs = (0..<600).map { ProgramGenerator.program(seed: $0) }
        let steps = programs.flatMap(\.lines).map(\.step)
        let kinds = Set(steps.map { String("\($0)".prefix { $0 != " " && $0 != "(" }) })
        for kind in [
            "task", "response", "data", "memory", "encoded", "cancel", "set", "prefetch", "store", "remove", "clear",
            "trim",
            "flush", "answer", "publish", "disk:", "hold", "release", "pause", "settle", "restart",
            "let", "look", "configure", "replace",
        ] {
            #expect(kinds.contains(kind) || kinds.contains("await"), "no step \(kind)")
        }
        let calls = steps.compactMap { step -> Call? in
            guard case .load(let call) = step else { return nil }
            return call
        }
        for carrier in [Call.Carrier.request, .options, .cookie, .credential, .cookieOption] {
            #expect(calls.contains { $0.identity.user > 0 && $0.carrier == carrier })
        }
        for freshness in [Call.Freshness.server, .ignoringServer, .never, .minute] {
            #expect(calls.contains { $0.freshness == freshness })
        }
        #expect(calls.contains { $0.identity.body > 0 } && calls.contains { $0.identity.language > 0 })
        #expect(calls.contains { $0.variant.frame > 0 } && calls.contains { $0.variant.marks.count > 2 })
        #expect(calls.contains { $0.reads == .none } && calls.contains { !$0.storesInMemory && $0.isOffline })
        #expect(calls.contains { $0.reads == .disk } && calls.contains { $0.ignoresOriginal == true })
        #expect(calls.contains { $0.kind == .callback } && calls.contains { $0.kind == .superseding })
        #expect(calls.contains { $0.reads == .none && $0.isOffline })
        for width in Variant.targetWidths { #expect(calls.contains { $0.variant.targetWidth == width }) }
        for side in Variant.longestSides { #expect(calls.contains { $0.variant.longestSide == side }) }
        #expect(programs.contains { $0.isObserved })
        #expect(programs.contains { $0.isUntrusted == true } && Set(programs.map(\.decodeBudget)).count == 4)
        for form in SourceForm.allCases { #expect(calls.contains { $0.identity.form == form }) }
    }

    @Test("use every option of the settings, and none that contradict each other")
    func settings() {
        let programs = (0..<600).map { ProgramGenerator.program(seed: $0) }
        let calls = programs.flatMap(\.lines).compactMap { line -> Call? in
            guard case .load(let call) = line.step else { return nil }
            return call
        }
        let settings = calls.compactMap(\.settings)
        for serializer in Settings.Serializer.allCases { #expect(settings.contains { $0.serializer == serializer }) }
        for durability in Settings.Durability.allCases { #expect(settings.contains { $0.durability == durability }) }
        for executor in Settings.Executor.allCases { #expect(settings.contains { $0.executor == executor }) }
        for reading in Settings.Reading.allCases { #expect(settings.contains { $0.reading == reading }) }
        for spelling in Settings.Spelling.allCases { #expect(settings.contains { $0.spelling == spelling }) }
        for caches in Settings.Caches.allCases { #expect(settings.contains { $0.caches == caches }) }
        for lifetime in Settings.Lifetime.allCases { #expect(settings.contains { $0.lifetime == lifetime }) }
        for hook in Settings.Hook.allCases { #expect(settings.contains { $0.hook == hook }) }
        for bound in Settings.Bound.allCases { #expect(settings.contains { $0.bound == bound }) }
        let choices: [(String, (Settings) -> Bool)] = [
            ("codecs", { $0.hasCodecs }), ("type hint", { $0.hasTypeHint }), ("bound", { $0.isBounded }),
            ("downloader", { $0.hasDownloader }), ("signature", { $0.signature != nil }),
            ("scale", { $0.hasScale }), ("modifier", { $0.hasModifier }),
            ("data", { $0.includesData }), ("preview", { $0.preview != nil }),
            ("inexact", { $0.isInexact }), ("observed", { $0.isObserved }), ("workers", { $0.hasWorkers }),
            ("named scope", { $0.hasNamedScope }), ("retries", { $0.retries }), ("stale", { $0.staleIfError != nil }),
            ("metered", { $0.refusesMetered }), ("other form", { $0.otherForm != nil }),
            ("alternative", { $0.alternative != nil }), ("low data", { $0.lowData != nil }),
        ]
        for (name, isMade) in choices { #expect(settings.contains(where: isMade), "\(name)") }
        #expect(!calls.contains { $0.isContradictory })
        // A source of the program has neither a credential nor a language nor a body.
        let provided = calls.filter { $0.identity.form != nil }
        #expect(provided.allSatisfy { $0.identity.user == 0 && $0.identity.language == 0 && $0.identity.body == 0 })
        // Each program names resources that it has.
        for program in programs {
            for case .load(let call) in program.lines.map(\.step) {
                #expect(call.resources.allSatisfy { program.resources.indices.contains($0) })
            }
        }
    }

    @Test("have places that are as many as the names under which caches keep images")
    func places() {
        let plain = Call(variant: Variant(marks: [1]))
        let changes: [(inout Settings) -> Void] = [
            { $0.serializer = .png }, { $0.hasCodecs = true }, { $0.hasTypeHint = true }, { $0.isBounded = true },
            { $0.reading = .sixteenBits },
        ]
        var places: Set<Place> = [plain.place]
        for change in changes {
            var call = plain
            var settings = Settings()
            change(&settings)
            call.settings = settings
            places.insert(call.place)
        }
        #expect(places.count == changes.count + 1)
        let others = Settings(
            hasDownloader: true,
            signature: 1,
            durability: .full,
            hasScale: true,
            hasModifier: true,
            includesData: true,
            isInexact: true,
            isObserved: true,
            hasWorkers: true,
            lifetime: .diskNever,
            staleIfError: .always,
            bound: .pixels,
            retries: true
        )
        #expect(Call(variant: Variant(marks: [1]), settings: others).place == plain.place)
        // An unprocessed image is stored as it came.
        #expect(Call(settings: Settings(serializer: .png)).place == Call().place)
    }

    @Test("run the steps of a lane in order, up to a barrier")
    func groups() {
        let lines: [(Int, Step)] = [
            (0, .flush), (1, .clearMemory), (0, .clearDisk), (0, .settle(true)), (1, .removeAll), (0, .restart),
        ]
        let program = Program(
            seed: 0,
            answersAtOnce: true,
            resources: [Program.Resource()],
            lines: lines.map { Program.Line(lane: $0.0, step: $0.1) }
        )
        let groups = program.groups
        #expect(groups.map(\.lanes) == [[[.flush, .clearDisk], [.clearMemory]], [[.removeAll]], []])
        #expect(groups.map(\.barrier) == [.settle(true), .restart, nil])
    }
}
