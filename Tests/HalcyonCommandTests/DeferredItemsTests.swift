import Glibc
import Halcyon
import HalcyonTesting
import Testing

@testable import HalcyonCommand

/// The images of hosts that do not answer, until the others are done.
@Suite struct DeferredItemsTests {
    private static let count = 2_500

    private func item(_ index: Int) -> ListItem {
        var item = ListItem(
            index: index,
            argument: SourceArgument(text: "https://example.org/\(index)/ü \u{1}\"\n.png"),
            name: index.isMultiple(of: 2) ? "\(index)/ name\t" : nil,
            problem: index.isMultiple(of: 3) ? "problem \(index)" : nil
        )
        item.mayBePlain = index.isMultiple(of: 5)
        item.isReported = index.isMultiple(of: 7)
        return item
    }

    /// Expects that items which were left for last come back as they were, and in their order.
    private func expectAll(_ makesFile: @escaping () -> UnsafeMutablePointer<FILE>?) throws {
        var deferred = DeferredItems(makesFile: makesFile)
        for index in 0..<Self.count { deferred.append(item(index)) }
        var items: [ListItem] = []
        while case let next = try deferred.next(), !next.isEmpty { items += next }
        try #require(items.map(\.index) == Array(0..<Self.count))
        for (index, left) in items.enumerated() {
            let right = item(index)
            #expect(left.argument.text == right.argument.text && left.name == right.name)
            #expect(left.problem == right.problem && left.isReported == right.isReported)
            #expect(left.mayBePlain == right.mayBePlain)
        }
    }

    @Test("images that are left for last come back from their file, in their order")
    func file() throws {
        try expectAll { tmpfile() }
    }

    @Test("images that are left for last are kept where their file takes nothing, or cannot be made")
    func noFile() throws {
        try expectAll { fopen("/dev/full", "r+") }
        try expectAll { nil }
    }

    @Test(
        "images that are left for last are kept where the disk of their file fills up",
        .enabled(if: MountedDisk.isPossible, "mounting a small file system needs the superuser")
    )
    func fullDisk() throws {
        let work = try Workplace()
        // It has room for a part of them.
        let disk = try #require(MountedDisk(at: work.path("disk")))
        try expectAll { fopen(disk.path + "/deferred", "w+") }
    }

    @Test("images that are left for last are not passed over where their file was cut short")
    func shortFile() throws {
        let work = try Workplace()
        var deferred = DeferredItems { fopen(work.path("deferred"), "w+") }
        for index in 0..<Self.count { deferred.append(item(index)) }
        try #require(truncate(work.path("deferred"), 9) == 0)
        let error = #expect(throws: ImageError.self) { try deferred.next() }
        #expect(error?.message == "the temporary file: it was cut short")
    }
}
