import HalcyonRaster
import Testing

@testable import HalcyonSearch

@Suite("The model")
struct AnswerModelTests {
    private let model = AnswerModel(resources: [Program.Resource(), Program.Resource()])

    @Test("allows an image for as long as nothing took its place")
    func plain() {
        let serial = model.load(Call())
        model.settle(isFlushed: true)
        model.answer(Call(), with: serial)
        #expect(model.finding == nil)
    }

    @Test("allows no image of another user, body, language or URL")
    func identity() {
        for identity in [Identity(resource: 1), Identity(user: 1), Identity(language: 1), Identity(body: 1)] {
            let model = AnswerModel(resources: [Program.Resource(), Program.Resource()])
            let serial = model.imageIsSent(to: identity)
            let id = model.begin([0], call: Call())
            model.end(id, .image(serial: serial, .plain))
            #expect(model.finding?.rule == .wrongImage)
        }
    }

    @Test("allows no image that has gone through other processors")
    func variant() {
        let id = model.begin([0], call: Call(variant: Variant(marks: [1, 2])))
        let appearance = Appearance(size: PixelSize(12, 10), marks: [2, 1])
        model.end(id, .image(serial: model.imageIsSent(to: Identity()), appearance))
        #expect(model.finding?.rule == .wrongVariant)
    }

    @Test("allows no image whose loads had ended when it was removed")
    func removal() {
        let serial = model.load(Call())
        model.endRemoval(model.beginRemoval(.everything))
        model.answer(Call(), with: serial)
        #expect(model.finding?.rule == .removedImage)
    }

    @Test("allows no image of a load that was called before the removal, as far as that is known")
    func removalDuringLoad() {
        for (isCalled, isSentLater) in [(true, false), (true, true), (false, false), (false, true)] {
            let model = AnswerModel(resources: [Program.Resource()])
            let id = model.begin([0], call: Call())
            if isCalled { model.isCalled(id) }
            let early = isSentLater ? nil : model.imageIsSent(to: Identity())
            let removal = model.beginRemoval(.everything)
            model.endRemoval(removal)
            let serial = early ?? model.imageIsSent(to: Identity())
            model.end(id, .image(serial: serial, .plain))
            #expect(model.finding == nil)
            model.answer(Call(), with: serial)
            #expect(model.finding?.rule == (isCalled ? .removedImage : nil))
        }
    }

    @Test("allows an image to a call that began before the removal ended")
    func callDuringRemoval() {
        let serial = model.load(Call())
        let removal = model.beginRemoval(.everything)
        let id = model.begin([0], call: Call())
        model.endRemoval(removal)
        model.end(id, .image(serial: serial, .plain))
        #expect(model.finding == nil)
    }

    @Test("allows no older image after a forced refresh, once all earlier loads have ended")
    func refresh() {
        let earlier = model.begin([0], call: Call())
        let old = model.imageIsSent(to: Identity())
        model.load(Call(reads: .none))
        model.end(earlier, .image(serial: old, .plain))
        model.settle(isFlushed: false)
        model.answer(Call(), with: old)
        #expect(model.finding?.rule == .olderImage)
    }

    @Test("allows an older image again that its origin has validated")
    func validation() {
        let old = model.load(Call())
        model.load(Call(reads: .none))
        model.settle(isFlushed: false)
        model.imageIsValidated(old)
        model.answer(Call(), with: old)
        #expect(model.finding == nil)
    }

    @Test("allows no older image after a store")
    func store() {
        let old = model.load(Call())
        let (id, serial) = model.beginStore(of: Identity())
        model.endStore(id, serial, isStored: true)
        model.settle(isFlushed: false)
        model.answer(Call(variant: Variant(marks: [1])), with: serial)
        #expect(model.finding == nil)
        model.answer(Call(variant: Variant(marks: [1])), with: old)
        #expect(model.finding?.rule == .olderImage)
    }

    @Test("demands that what is cached is not loaded")
    func cached() {
        model.load(Call())
        model.settle(isFlushed: true)
        model.load(Call())
        #expect(model.finding?.rule == .needlessLoad)
    }

    @Test("demands nothing of caches that were cleared, or of a clock that was moved")
    func disturbed() {
        for disturb in [{ $0.disturb(nil) }, { $0.clockMoves(by: 1) }, { $0.diskChanges() }] as [(AnswerModel) -> Void]
        {
            model.load(Call())
            model.settle(isFlushed: true)
            disturb(model)
            model.load(Call())
            #expect(model.finding == nil)
        }
    }

    @Test("allows no older image after a newer one, in no place and no form")
    func places() {
        for call in [
            Call(settings: Settings(hasCodecs: true)), Call(kind: .encoded), Call(variant: Variant(marks: [1])),
            Call(reads: .none),
        ] {
            let model = AnswerModel(resources: [Program.Resource()])
            let old = model.load(call)
            model.load(Call())
            model.settle(isFlushed: false)
            model.answer(call, with: old)
            #expect(model.finding?.rule == .olderImage, "\(call)")
        }
    }

    @Test("allows an image that its source always has after a removal")
    func fixed() {
        let identity = Identity(form: .base64)
        let serial = model.imageIsSent(to: identity, isFixed: true)
        model.answer(Call(identity: identity), with: serial)
        model.endRemoval(model.beginRemoval(.everything))
        model.answer(Call(identity: identity), with: serial)
        #expect(model.finding == nil)
        let other = model.load(Call(identity: Identity(form: .closure)))
        model.settle(isFlushed: false)
        model.endRemoval(model.beginRemoval(.everything))
        model.answer(Call(identity: Identity(form: .closure)), with: other)
        #expect(model.finding?.rule == .removedImage)
    }

    @Test("allows no image of a file to calls that begin after it was replaced")
    func file() {
        let identity = Identity(form: .file)
        model.replaceFile(of: 0) { _ in }
        let early = model.begin([0], call: Call(identity: identity))
        model.replaceFile(of: 0) { _ in }
        model.end(early, .image(serial: 1, .plain))
        model.answer(Call(identity: identity), with: 2)
        #expect(model.finding == nil)
        model.answer(Call(identity: identity), with: 1)
        #expect(model.finding?.rule == .olderImage)
    }

    @Test("demands of a pipeline for servers alone that other sources fail for that reason, and that none is loaded")
    func forbidden() {
        let call = Call(identity: Identity(form: .file))
        let outcomes: [(AnswerModel.Outcome, Finding.Rule?)] = [
            (.forbidden, nil), (.failure("no such file"), .wrongError), (.image(serial: 1, .plain), .forbiddenSource),
            (.image(serial: 2, .plain), nil),
        ]
        for (outcome, rule) in outcomes {
            let model = AnswerModel(resources: [Program.Resource(), Program.Resource()], isUntrusted: true)
            var call = call
            call.settings = Settings(alternative: 1)
            model.replaceFile(of: 0) { _ in }
            _ = model.imageIsSent(to: Identity(resource: 1))
            model.end(model.begin(call.resources, call: call), outcome)
            #expect(model.finding?.rule == rule)
        }
        model.end(model.begin([0], call: call), .forbidden)
        #expect(model.finding?.rule == .wrongError)
    }

    @Test("takes all spellings of a URL for the same")
    func spellings() {
        model.load(Call(settings: Settings(spelling: .escapes)))
        model.settle(isFlushed: true)
        model.load(Call(settings: Settings(spelling: .fragment)))
        #expect(model.finding?.rule == .needlessLoad)
    }

    @Test("allows the image of an alternative only once the source has failed")
    func alternative() {
        let call = Call(settings: Settings(alternative: 1))
        for hasFailed in [true, false] {
            let model = AnswerModel(resources: [Program.Resource(), Program.Resource()])
            let serial = model.imageIsSent(to: Identity(resource: 1))
            if hasFailed { model.resourceFails(0) }
            let id = model.begin(call.resources, call: call)
            model.end(id, .image(serial: serial, .plain))
            #expect(model.finding?.rule == (hasFailed ? nil : .wrongImage))
        }
    }

    @Test("allows the image of the low-data source only once the network was metered")
    func lowData() {
        let call = Call(settings: Settings(lowData: 1))
        for isMetered in [true, false] {
            let model = AnswerModel(resources: [Program.Resource(), Program.Resource()])
            let serial = model.imageIsSent(to: Identity(resource: 1))
            if isMetered { model.networkIsMetered() }
            let id = model.begin(call.resources, call: call)
            model.end(id, .image(serial: serial, .plain))
            #expect(model.finding?.rule == (isMetered ? nil : .wrongImage))
        }
    }

    @Test("allows no image of another source as an alternative, and none with another user's credential")
    func otherAlternative() {
        let model = AnswerModel(resources: [Program.Resource(), Program.Resource(), Program.Resource()])
        model.resourceFails(0)
        let call = Call(identity: Identity(user: 1), settings: Settings(alternative: 1))
        let id = model.begin(call.resources, call: call)
        model.end(id, .image(serial: model.imageIsSent(to: Identity(resource: 1, user: 1)), .plain))
        #expect(model.finding?.rule == .wrongImage)
    }

    @Test("allows a forced refresh to fail from caches alone only if it stores nothing")
    func refreshFromCache() {
        for stores in [true, false] {
            let model = AnswerModel(resources: [Program.Resource()])
            let call = Call(reads: .none, storesInMemory: stores, storesOnDisk: false, isOffline: true)
            model.end(model.begin([0], call: call), .failure("no answer"))
            #expect(model.finding?.rule == (stores ? .wrongError : nil))
        }
    }

    @Test("allows no removed image of a load that may go on after its result")
    func lingering() {
        let call = Call()
        let id = model.begin(call.resources, call: call)
        let serial = model.imageIsSent(to: Identity())
        model.end(id, .image(serial: serial, .plain))
        model.endRemoval(model.beginRemoval(.everything))
        model.answer(Call(), with: serial)
        #expect(model.finding?.rule == .removedImage)
    }

    @Test("allows a load to fail only if its origin does, and to be cancelled only by its caller")
    func failures() {
        let failing = model.begin([1], call: Call(identity: Identity(resource: 1)))
        model.resourceFails(1)
        model.end(failing, .failure("no answer"))
        let cancelled = model.begin([0], call: Call())
        model.cancel(cancelled)
        model.end(cancelled, .cancelled)
        #expect(model.finding == nil)
        model.end(model.begin([0], call: Call()), .failure("no answer"))
        #expect(model.finding?.rule == .wrongError)
    }
}
