import HalcyonTesting
import Testing

@testable import Halcyon

/// The rules of ``ContentOrder``, each on a trace of events.
@Suite("The rules of the order of content")
struct ContentOrderRulesTests {
    private let order = ContentOrder()
    private let key = ImageKey(original: OriginalKey(text: "a"), variant: nil)

    /// A load of the name, or of another, that was called now or earlier.
    private func load(
        _ name: String = "a",
        _ kind: ContentRegistration.Kind = .load,
        called: UInt64? = nil
    ) -> ContentRegistration {
        order.register(name, kind, called: called)
    }

    private func claim(
        _ load: ContentRegistration,
        transfer: UInt64? = WorkNumber.next(),
        _ digest: UInt64?,
        _ representation: String = "",
        isFromMemory: Bool = false
    ) -> ContentClaim {
        ContentClaim(
            registrations: ContentRegistrations(load),
            transfer: transfer,
            digest: digest.map { ContentDigest($0) },
            representation: representation,
            isFromMemory: isFromMemory
        )
    }

    private func admits(_ claim: ContentClaim) -> [Bool] {
        [order.admits(claim, key, in: .memory), order.admits(claim, key, in: .disk)]
    }

    private func isCurrent(_ digest: UInt64?, _ representation: String = "", of key: ImageKey? = nil) -> Bool {
        let diskKey = CacheKey(text: (key ?? self.key).processedDiskKey)
        return order.isCurrent(digest.map { ContentDigest($0) }, of: representation, at: diskKey)
    }

    private func variant(_ frame: Int) -> ImageKey.Variant {
        ImageKey.Variant(decode: ImageOptions().applying([.frame(frame)]).decode, steps: [])
    }

    private let both = [true, true]
    private let none = [false, false]

    @Test("two results of one transfer are both stored")
    func twoResults() {
        let (one, two) = (load(), load())
        let transfer = WorkNumber.next()
        let (first, second) = (claim(one, transfer: transfer, 1), claim(two, transfer: transfer, 1))
        #expect(order.adopt(first))
        #expect(admits(first) == both)
        #expect(!order.adopt(second), "nothing else is to be removed")
        #expect(admits(second) == both)
    }

    @Test("of two transfers the one sent later counts, in whichever order they arrive", arguments: [false, true])
    func overtaking(arrivesLast: Bool) {
        let (early, late) = (load(), load())
        let (first, second) = (claim(early, 1), claim(late, 2))
        for claim in arrivesLast ? [second, first] : [first, second] { _ = order.adopt(claim) }
        #expect(admits(first) == none)
        #expect(admits(second) == both)
        #expect(isCurrent(2) && !isCurrent(1))
    }

    @Test("equal bytes of an older transfer are stored as well")
    func equalBytes() {
        let (early, late) = (load(), load())
        let (first, second) = (claim(early, 1), claim(late, 1))
        #expect(order.adopt(second))
        #expect(!order.adopt(first))
        #expect(admits(first) == both)
    }

    @Test("what was called before a removal is stored nowhere, although its request is sent afterwards")
    func removal() {
        let early = load()
        order.end(order.begin(.name("a"), from: .all))
        let answer = claim(early, 1)
        #expect(!order.adopt(answer))
        #expect(admits(answer) == none)
        let late = claim(load(), 2)
        #expect(order.adopt(late))
        #expect(admits(late) == both)
    }

    @Test("nothing that is on disk while it is removed from there is current, for loads that are called meanwhile, too")
    func duringRemoval() {
        for scope in [TierScope.everything, .name("a"), .names(beginningWith: "a")] {
            let removal = order.begin(scope, from: .all)
            let late = load()
            #expect(!isCurrent(1) && !isCurrent(nil))
            let answer = claim(late, 1)
            #expect(order.adopt(answer))
            #expect(isCurrent(1) && !isCurrent(2))
            order.end(removal)
            #expect(isCurrent(1) && !isCurrent(2))
            withExtendedLifetime(late) {}
        }
        #expect(order.recordCount == 0 && !order.isChanging)
    }

    @Test(
        "what a removal by another process excepts is current and stored, by loads that were called before as well",
        arguments: ["", "r"]
    )
    func removalByAnotherProcess(representation: String) {
        let early = load()
        let other = claim(early, 2, representation)
        order.end(order.begin(.name("a", except: [1]), from: .all))
        #expect(isCurrent(1, representation) && !isCurrent(2, representation))
        #expect(admits(claim(early, transfer: nil, 1, representation)) == both)
        #expect(!order.adopt(other), "it was asked for before")
        #expect(admits(other) == none)
        let same = claim(load(), 1, representation)
        #expect(!order.adopt(same), "the other process has told of it already")
        #expect(admits(same) == both)
        let newer = claim(load(), 3, representation)
        #expect(order.adopt(newer))
        #expect(isCurrent(3, representation) && !isCurrent(1, representation))
        #expect(admits(newer) == both)
    }

    @Test("a removal from memory alone leaves the disk to loads in progress, unless they found the image in memory")
    func removalFromMemory() {
        let early = load()
        order.end(order.begin(.name("a"), from: .memory))
        let answer = claim(early, 1)
        #expect(order.adopt(answer))
        #expect(admits(answer) == [false, true])
        #expect(admits(claim(early, transfer: nil, 1, isFromMemory: true)) == none)
    }

    @Test("loads that are called after a change do not join work from before, and forced refreshes join each other")
    func joining() {
        let first = load()
        #expect(load().joining.since <= first.number)
        let refresh = load("a", .refresh)
        #expect(refresh.joining.since == refresh.number)
        let other = load("a", .refresh)
        #expect(other.joining.since == refresh.number)
        #expect(load().joining.since == refresh.number)
        order.end(order.begin(.name("a"), from: .all))
        #expect(load().joining.since > other.number)
        order.end(order.begin(.name("a"), from: .memory))
        let last = load("a", .refresh)
        #expect(last.joining.since == last.number)
        withExtendedLifetime((first, refresh, other)) {}
    }

    @Test("no work from before newer content is joined, but for that of the load that brought it")
    func joiningAfterAdoption() {
        let (early, bringing, late) = (load(), load(), load())
        #expect(order.adopt(claim(bringing, 2)))
        let next = load()
        #expect([early, bringing, late, load()].map { next.joining.admits($0.number) } == [false, true, false, true])
        // The load of a refresh in the background may have used what was there before.
        var refresh = claim(late, 3)
        refresh.isInBackground = true
        #expect(order.adopt(refresh))
        let last = load()
        #expect([bringing, late, next, load()].map { last.joining.admits($0.number) } == [false, false, false, true])
    }

    @Test("a failed refresh changes nothing")
    func failedRefresh() {
        let early = load()
        do { withExtendedLifetime(load("a", .refresh)) {} }
        let answer = claim(early, 1)
        #expect(order.adopt(answer))
        #expect(admits(answer) == both)
    }

    @Test("a server that has an image no more is asked in order")
    func gone() {
        let (early, late) = (load(), load())
        let (old, new) = (claim(early, nil), claim(late, 2))
        #expect(order.adopt(new))
        #expect(!order.adopt(old))
        #expect(admits(new) == both)
        #expect(order.adopt(claim(load(), nil)))
        #expect(admits(new) == none)
        #expect(!isCurrent(2) && !isCurrent(nil))
    }

    @Test("representations under Vary are apart, and content for all takes their place")
    func representations() {
        let (one, two) = (load(), load())
        let (webp, jpeg) = (claim(one, 1, "webp"), claim(two, 2, "jpeg"))
        #expect(order.adopt(webp))
        #expect(order.adopt(jpeg))
        #expect(admits(webp) == both && admits(jpeg) == both)
        #expect(!isCurrent(3), "content for all is older")
        #expect(isCurrent(4, "png"))
        let all = claim(load(), 5)
        #expect(order.adopt(all))
        #expect(admits(webp) == none && admits(jpeg) == none && admits(all) == both)
    }

    @Test("a newer answer for some requests does not keep back an older one for others")
    func olderRepresentation() {
        let (one, two) = (load(), load())
        let (first, second) = (claim(one, 1, "webp"), claim(two, 2, "jpeg"))
        #expect(order.adopt(second))
        #expect(order.adopt(first))
        #expect(admits(first) == both && admits(second) == both)
        // Of one representation the newer transfer counts.
        let (early, late) = (load(), load())
        let (old, new) = (claim(early, 3, "webp"), claim(late, 4, "webp"))
        #expect(order.adopt(new))
        #expect(!order.adopt(old))
        #expect(admits(old) == none)
    }

    @Test("a store by the program stands against loads that were called before, and loses to removals")
    func replacement() {
        let early = load()
        let store = claim(load("a", .replacement), transfer: nil, 7)
        order.replace(store, resultOf: nil)
        let answer = claim(early, 1)
        #expect(!order.adopt(answer))
        #expect(admits(answer) == none)
        #expect(admits(store) == both)
        #expect(isCurrent(7) && !isCurrent(1))
        order.end(order.begin(.everything, from: .all))
        #expect(admits(store) == none)
    }

    @Test("three results that the program stores at once are all stored, and of one key the last")
    func threeStores() {
        let keys = [1, 2, 3].map { key.replacingVariant(by: variant($0)) }
        let stores = keys.map { key in
            let store = claim(load("a", .replacement), transfer: nil, nil)
            order.replace(store, resultOf: key)
            return store
        }
        for (store, key) in zip(stores, keys) { #expect(order.admits(store, key, in: .disk)) }
        let last = claim(load("a", .replacement), transfer: nil, nil)
        order.replace(last, resultOf: keys[0])
        #expect(!order.admits(stores[0], keys[0], in: .disk))
        #expect(order.admits(last, keys[0], in: .disk) && order.admits(stores[1], keys[1], in: .disk))
        #expect(keys.allSatisfy { isCurrent(nil, of: $0) })
        // An original that may be the one they were made of leaves them, and another takes the place of all.
        let answer = claim(load(), 9)
        #expect(order.adopt(answer))
        #expect(keys.allSatisfy { isCurrent(nil, of: $0) })
        order.noteChange(by: answer)
        #expect(!keys.contains { isCurrent(nil, of: $0) })
    }

    @Test("of two results that the program stores, the one stored before its original changed is outdated")
    func storesAroundChange() throws {
        let keys = [1, 2].map { key.replacingVariant(by: variant($0)) }
        let encoding = try ImageEncoding(.format(.png), codecs: .standard, source: "a")
        let forms = [1, 2].map {
            ImageKey(original: key.original, options: ImageOptions().applying([.frame($0)]), encoding: encoding)
        }
        let early = claim(load("a", .replacement), transfer: nil, nil)
        order.replace(early, resultOf: keys[0])
        let answer = claim(load(), 9)
        #expect(order.adopt(answer))
        order.noteChange(by: answer)
        let late = claim(load("a", .replacement), transfer: nil, nil)
        order.replace(late, resultOf: keys[1])
        #expect(keys.map { isCurrent(nil, of: $0) } == [false, true])
        // An encoded form is as old as its image.
        #expect(forms.map { isCurrent(nil, of: $0) } == [false, true])
        withExtendedLifetime((early, answer, late)) {}
    }

    @Test("a load whose name was not known when it was called is compared with the last removal under any name")
    func lateName() {
        let called = WorkNumber.next()
        #expect(admits(claim(load("b", called: called), 1)) == both)
        order.end(order.begin(.name("c"), from: .memory))
        #expect(admits(claim(load("b", called: called), 1)) == [false, true])
        order.replace(claim(load("c", .replacement), transfer: nil, 1), resultOf: nil)
        #expect(admits(claim(load("b", called: called), 1)) == [false, true])
        order.replace(claim(load("b", .replacement), transfer: nil, 1), resultOf: nil)
        #expect(admits(claim(load("b", called: called), 1)) == none)
    }

    @Test("content that was found in the cache is not adopted")
    func found() {
        let early = load()
        #expect(!order.adopt(claim(early, transfer: nil, 1)))
        #expect(isCurrent(2))
    }
}
