import FoundationEssentials
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("Pairs of options")
struct OptionPairTests {
    /// Two options in their order, with an address of their own.
    private struct Pair: Sendable {
        let first: PairedOption
        let second: PairedOption
        let url = Sample.url()

        var description: String { "\(first.name) with \(second.name)" }

        var options: [ImageOption] {
            [.processor(.crop(to: .pixels(4, 4))), first.option, second.option]
        }

        var model: PairModel {
            var model = PairModel()
            first.change(&model)
            second.change(&model)
            return model
        }

        var contradiction: OptionContradiction? { PairedOption.contradictions[[first.name, second.name]] }
    }

    /// What a load gave: an image with its source, or a reason.
    private enum Result: Sendable {
        case image(color: Int, PixelSize, scale: Double, ImageResponse.Source)
        case failure(ImageError.Reason?)
    }

    /// Every pair in one order, and those that set the same field in both.
    private static let pairs: [Pair] = {
        var pairs: [Pair] = []
        for (index, first) in PairedOption.all.enumerated() {
            for second in PairedOption.all[(index + 1)...] {
                pairs.append(Pair(first: first, second: second))
                if !Set(first.fields).isDisjoint(with: second.fields) {
                    pairs.append(Pair(first: second, second: first))
                }
            }
        }
        return pairs
    }()

    @Test("are of all fields, and no two options have one name")
    func completeness() {
        #expect(Set(PairedOption.all.flatMap(\.fields)) == Set(OptionPathTable.rows.map(\.field)))
        let names = Set(PairedOption.all.map(\.name))
        #expect(names.count == PairedOption.all.count)
        for (pair, contradiction) in PairedOption.contradictions {
            #expect(pair.isSubset(of: names) && pair.count == 2, "\(contradiction)")
        }
        #expect(Set(PairedOption.contradictions.values) == Set(OptionContradiction.allCases))
    }

    @Test("that set different fields mean the same in either order; of one field, the last counts")
    func order() {
        for pair in Self.pairs {
            let (one, other) = (pair.first, pair.second)
            let fields = ImageOptions().applying([one.option, other.option]).fields
            if Set(one.fields).isDisjoint(with: other.fields) {
                #expect(fields == ImageOptions().applying([other.option, one.option]).fields, "\(pair.description)")
            }
            if Set(one.fields).isSubset(of: other.fields) {
                #expect(fields == ImageOptions().applying([other.option]).fields, "\(pair.description)")
            }
        }
    }

    @Test("give the image, the error and the transfers that both allow: on empty caches, again, and without memory")
    func loads() async throws {
        let test = TestPipeline(
            memoryCostLimit: 256 << 20,
            recovery: RecoveryConfiguration(network: ManualNetwork())
        )
        defer { try? FileManager.default.removeItem(atPath: PairFixture.folder) }
        let answer = ScriptedTransport.Route(headers: [.contentType: "image/png"], body: PairFixture.body)
        for transport in [test.transport, PairFixture.transport] { transport.setAnswer { _ in answer } }
        let expectations = Self.pairs.map { $0.model.expectations($0.contradiction) }
        var taken = (own: 0, other: 0)
        for round in 0..<3 {
            if round == 2 {
                for cache in [test.pipeline.cache, PairFixture.otherCache] { cache.removeAllFromMemory() }
            }
            let results = await load(Self.pairs, test.pipeline)
            await test.settle()
            await PairFixture.otherCache.flush()
            let (own, other) = (test.transport.transfers, PairFixture.transport.transfers)
            let counts = (Self.counts(own.dropFirst(taken.own)), Self.counts(other.dropFirst(taken.other)))
            taken = (own.count, other.count)
            for (index, pair) in Self.pairs.enumerated() {
                let text = "\(pair.description), load \(round + 1)"
                let (model, expected) = (pair.model, expectations[index][round])
                Self.check(results[index], expected, model, text)
                let (ownCount, otherCount) = (counts.0[pair.url] ?? 0, counts.1[pair.url] ?? 0)
                #expect(expected.transfers.contains(ownCount + otherCount), "\(text): \(ownCount) and \(otherCount)")
                #expect((model.hasOwnDownloader ? ownCount : otherCount) == 0, "\(text)")
            }
        }
    }

    private static func check(
        _ result: Result?,
        _ expected: PairModel.Expectation,
        _ model: PairModel,
        _ text: String
    ) {
        switch result {
        case .image(let color, let size, let scale, let source):
            #expect(expected.color.map { abs(Int($0) - color) <= 1 } == true, "\(text): \(color)")
            #expect(size == model.size && scale == model.deliveredScale, "\(text): \(size), \(scale)")
            #expect(expected.source == nil || expected.source == source, "\(text): from \(source)")
        case .failure(let reason):
            #expect(reason != nil && reason == expected.error, "\(text): \(String(describing: reason))")
        case nil:
            Issue.record("\(text): no result")
        }
    }

    /// Loads the images of all pairs, some at a time.
    private func load(_ pairs: [Pair], _ pipeline: ImagePipeline) async -> [Int: Result] {
        await withTaskGroup(of: (Int, Result).self) { group in
            var results: [Int: Result] = [:]
            for (index, pair) in pairs.enumerated() {
                if index >= 32, let (done, result) = await group.next() { results[done] = result }
                group.addTask {
                    do {
                        let response = try await pipeline.response(for: pair.url, options: pair.options)
                        let image = response.image
                        let color = Int(image.bitmap.pixel(0, 0)[0])
                        return (index, .image(color: color, image.size, scale: image.scale, response.source))
                    } catch {
                        return (index, .failure((error as? ImageError)?.reason))
                    }
                }
            }
            for await (done, result) in group { results[done] = result }
            return results
        }
    }

    private static func counts(_ transfers: ArraySlice<ScriptedTransfer>) -> [URL: Int] {
        transfers.reduce(into: [:]) { $0[$1.request.url, default: 0] += 1 }
    }
}
