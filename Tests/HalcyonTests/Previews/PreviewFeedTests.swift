import FoundationEssentials
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("The previews of a task")
struct PreviewFeedTests {
    private let feed = PreviewFeed()

    private func preview(_ quality: Int) -> ImagePreview {
        let bitmap = Sample.bitmap(1, 1)
        let image = DecodedImage(bitmap: bitmap, info: ImageInfo(format: .png, size: bitmap.size))
        let response = ImageResponse(image: image, source: .data, byteCount: 1)
        return ImagePreview(response: response, source: .blurHash("00B:Tv"), quality: quality)
    }

    @Test("begin with the best for a reader that joins late")
    func lateReader() async {
        feed.send(preview(0))
        feed.send(preview(2))
        for _ in 0..<2 {
            var reader = feed.stream.makeAsyncIterator()
            #expect(await reader.next()?.quality == 2)
        }
        #expect(feed.best?.quality == 2)
    }

    @Test("never step back")
    func worse() async {
        var reader = feed.stream.makeAsyncIterator()
        feed.send(preview(1))
        #expect(await reader.next()?.quality == 1)
        feed.send(preview(0))
        feed.send(preview(1))
        feed.send(preview(3))
        #expect(await reader.next()?.quality == 3)
    }

    @Test("are released without a lock once there is a better one")
    func release() throws {
        let (bytes, seen) = (UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 1), Lock<[Int?]>([]))
        let address = try #require(bytes.baseAddress)
        var response = preview(0).response
        response.data = Data(
            bytesNoCopy: address,
            count: bytes.count,
            deallocator: .custom { [feed] address, _ in
                seen.withLock { $0.append(feed.best?.quality) }
                address.deallocate()
            }
        )
        feed.send(ImagePreview(response: response, source: .blurHash("00B:Tv"), quality: 0))
        response.data = nil
        feed.send(preview(1))
        #expect(seen.withLock { $0 } == [1])
    }

    @Test("that nothing has read are dropped at the end")
    func end() async {
        let stream = feed.stream
        feed.send(preview(1))
        feed.finish()
        feed.send(preview(2))
        var reader = stream.makeAsyncIterator()
        #expect(await reader.next()?.quality == nil)
        var late = feed.stream.makeAsyncIterator()
        #expect(await late.next()?.quality == nil)
        #expect(feed.best?.quality == nil)
    }

    @Test("reach a reader that waits, and end for it")
    func waiting() async {
        let (first, stream) = (Gate(), feed.stream)
        let reading = Task {
            var qualities: [Int] = []
            for await preview in stream {
                qualities.append(preview.quality)
                first.open()
            }
            return qualities
        }
        feed.send(preview(4))
        await first.wait()
        feed.finish()
        #expect(await reading.value == [4])
    }

    @Test("end for a reader whose task is cancelled, and for no other")
    func cancelledReader() async {
        let stream = feed.stream
        let reading = Task { [feed] in
            withUnsafeCurrentTask { $0?.cancel() }
            let isOver = await feed.next(after: 0) == nil
            var reader = stream.makeAsyncIterator()
            return await reader.next() == nil && isOver
        }
        #expect(await reading.value)
        let waiting = Task { [feed] in await feed.next(after: 0) == nil }
        waiting.cancel()
        #expect(await waiting.value)
        feed.send(preview(0))
        var reader = feed.stream.makeAsyncIterator()
        #expect(await reader.next()?.quality == 0)
    }

    @Test("that come at the same time are read in rising order, and the best is the last")
    func concurrent() async {
        let stream = feed.stream
        let reading = Task {
            var qualities: [Int] = []
            for await preview in stream {
                qualities.append(preview.quality)
                if preview.quality == 199 { break }
            }
            return qualities
        }
        await withTaskGroup(of: Void.self) { group in
            for quality in (0..<200).shuffled() {
                let preview = preview(quality)
                group.addTask { [feed] in feed.send(preview) }
            }
        }
        let qualities = await reading.value
        #expect(qualities == qualities.sorted() && Set(qualities).count == qualities.count)
        #expect(qualities.last == 199)
    }
}
