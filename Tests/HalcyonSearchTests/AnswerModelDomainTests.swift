import HalcyonRaster
import Testing

@testable import HalcyonSearch

@Suite("The model of caches")
struct AnswerModelDomainTests {
    private func model() -> AnswerModel { AnswerModel(resources: [Program.Resource(), Program.Resource()]) }

    @Test("tells the images of two stores of cookies apart, as any credential", arguments: [0, 2])
    func cookieOptions(other: Int) {
        let model = model()
        let serial = model.imageIsSent(to: Identity(user: 1))
        model.answer(Call(identity: Identity(user: 1), carrier: .cookieOption), with: serial)
        #expect(model.finding == nil)
        model.answer(Call(identity: Identity(user: other), carrier: .cookieOption), with: serial)
        #expect(model.finding?.rule == .wrongImage)
    }

    @Test("allows the image of an alternative with the cookies of the options, and no other")
    func alternative() {
        for carrier in [Call.Carrier.cookieOption, .cookie] {
            let model = model()
            model.resourceFails(0)
            let call = Call(identity: Identity(user: 1), carrier: carrier, settings: Settings(alternative: 1))
            model.answer(call, with: model.imageIsSent(to: Identity(resource: 1, user: 1)))
            #expect(model.finding?.rule == (carrier == .cookieOption ? nil : .wrongImage))
        }
    }

    @Test("allows the image of an alternative, or a failure, where the options refuse a metered network")
    func refused() {
        for isMetered in [true, false] {
            for alternative in [1, nil] {
                let model = model()
                if isMetered { model.networkIsMetered() }
                let call = Call(settings: Settings(refusesMetered: true, alternative: alternative))
                if alternative == nil {
                    model.end(model.begin(call.resources, call: call), .failure("metered"))
                } else {
                    model.answer(call, with: model.imageIsSent(to: Identity(resource: 1)))
                }
                let rule: Finding.Rule = alternative == nil ? .wrongError : .wrongImage
                #expect(model.finding?.rule == (isMetered ? nil : rule))
            }
        }
    }

    @Test("allows no older image after a refresh, also with cookies of a header instead of a store")
    func audiences() {
        let identity = Identity(user: 1)
        for (carrier, settings, isKnown) in [
            (Call.Carrier.cookie, nil, true), (.request, nil, false), (.credential, nil, false),
            (.cookieOption, Settings(hasNamedScope: true), false),
            (.cookieOption, Settings(caches: .other), false), (.cookieOption, Settings(isObserved: true), true),
        ] as [(Call.Carrier, Settings?, Bool)] {
            let model = model()
            let old = model.imageIsSent(to: identity)
            model.load(Call(identity: identity, carrier: .cookieOption, reads: .none))
            model.settle(isFlushed: false)
            model.answer(Call(identity: identity, carrier: carrier, settings: settings), with: old)
            #expect(model.finding?.rule == (isKnown ? .olderImage : nil), "\(carrier) \(String(describing: settings))")
        }
    }

    @Test("allows no older image after a newer one, processed or not, also where originals have a cache of their own")
    func separate() {
        let unprocessed = Call(settings: Settings(caches: .separate))
        let processed = Call(variant: Variant(marks: [1]), settings: Settings(caches: .separate))
        for (newer, older, isKnown) in [
            (processed, processed, true), (processed, unprocessed, true), (unprocessed, unprocessed, true),
            (unprocessed, processed, true), (unprocessed, Call(), false), (processed, Call(), false),
        ] {
            let model = model()
            let old = model.imageIsSent(to: Identity())
            model.load(newer)
            model.settle(isFlushed: false)
            model.answer(older, with: old)
            #expect(model.finding?.rule == (isKnown ? .olderImage : nil), "\(newer), \(older)")
        }
    }

    @Test("demands that an image is found in the cache that keeps it, be it that of options")
    func stored() {
        for caches in [nil, .other, .separate] as [Settings.Caches?] {
            for marks in [[], [1]] as [[UInt8]] {
                let model = model()
                let call = Call(variant: Variant(marks: marks), settings: caches.map { Settings(caches: $0) })
                model.load(call)
                model.settle(isFlushed: true)
                model.load(call)
                #expect(model.finding?.rule == .needlessLoad)
            }
        }
    }

    @Test("demands that an image stays cached when its server confirms it, or an older one")
    func confirmed() {
        for isOlder in [true, false] {
            let model = model()
            let old = model.imageIsSent(to: Identity())
            let new = model.load(Call())
            model.settle(isFlushed: true)
            model.imageIsValidated(isOlder ? old : new)
            model.load(Call())
            #expect(model.finding?.rule == .needlessLoad)
        }
    }

    @Test("demands that a cache contains what is cached, unless something happens meanwhile")
    func containing() async {
        for event in [false, true] {
            let model = model()
            await model.look(for: Call()) { false }
            #expect(model.finding == nil)
            model.load(Call())
            model.settle(isFlushed: true)
            await model.look(for: Call()) { true }
            #expect(model.finding == nil)
            await model.look(for: Call()) {
                if event { model.disturb([0]) }
                return false
            }
            #expect(model.finding?.rule == (event ? nil : .missingImage))
        }
    }

    @Test("demands nothing of loads during which the downloader was configured anew")
    func configured() {
        let model = model()
        let old = model.imageIsSent(to: Identity())
        let id = model.begin([0], call: Call(reads: .none))
        model.configurationChanges()
        model.end(id, .image(serial: model.imageIsSent(to: Identity()), .plain))
        model.settle(isFlushed: true)
        model.answer(Call(), with: old)
        #expect(model.finding == nil)
        model.load(Call(reads: .none))
        model.settle(isFlushed: true)
        model.answer(Call(), with: old)
        #expect(model.finding?.rule == .olderImage)
    }
}

@Suite("The model of sizes")
struct AnswerModelSizeTests {
    private let model = AnswerModel(resources: [Program.Resource(isLarge: true)])

    private func answer(_ call: Call, width: Int, height: Int) {
        let serial = model.imageIsSent(to: Identity())
        model.answer(call, with: serial, appearance: Appearance(size: PixelSize(width, height)))
    }

    @Test("has one size for a target size or a longest side, and that of a processor goes before both")
    func sizes() {
        let expected: [(Variant, PixelSize)] = [
            (Variant(), PixelSize(96, 64)), (Variant(targetWidth: 12), PixelSize(12, 8)),
            (Variant(longestSide: 24), PixelSize(24, 16)), (Variant(longestSide: 6, targetWidth: 48), PixelSize(6, 4)),
            (Variant(targetWidth: 6, isReduced: true), LabelledImage.reducedSize),
        ]
        for (variant, size) in expected { #expect(variant.appearance(isLarge: true).size == size) }
        #expect(Variant(targetWidth: 48).appearance(isLarge: false).size == PixelSize(12, 10))
    }

    @Test("allows no image of another size for an exact request")
    func exact() {
        answer(Call(variant: Variant(targetWidth: 12)), width: 12, height: 8)
        #expect(model.finding == nil)
        answer(Call(variant: Variant(targetWidth: 12)), width: 48, height: 32)
        #expect(model.finding?.rule == .wrongVariant)
    }

    @Test("allows a larger one for an inexact request, and no smaller one")
    func inexact() {
        let call = Call(variant: Variant(targetWidth: 12), settings: Settings(isInexact: true))
        answer(call, width: 48, height: 32)
        answer(call, width: 96, height: 64)
        #expect(model.finding == nil)
        answer(call, width: 6, height: 4)
        #expect(model.finding?.rule == .wrongVariant)
    }

    @Test("allows no larger one for an inexact request with processors, or where it is encoded")
    func inexactExceptions() {
        for call in [
            Call(kind: .encoded, variant: Variant(targetWidth: 12), settings: Settings(isInexact: true)),
            Call(variant: Variant(targetWidth: 12, marks: [1]), settings: Settings(isInexact: true)),
        ] {
            #expect(call.largerPlaces.isEmpty)
        }
    }
}
