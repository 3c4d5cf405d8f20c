import HalcyonRaster
import Testing

@Suite("resampling can be cancelled")
struct ResamplingCancellationTests {
    @Test(
        "cancellation is asked for before each row and ends the work there",
        arguments: [ResamplingFilter.lanczos3, .nearest]
    )
    func cancellationEndsTheWork(filter: ResamplingFilter) throws {
        let bitmap = try Bitmap.noise(20, 20, seed: 1)
        var questions = 0
        #expect(throws: CancellationError.self) {
            try bitmap.resampled(to: PixelSize(10, 10), filter: filter) {
                questions += 1
                return questions == 4
            }
        }
        #expect(questions == 4)
    }

    @Test("work that is not cancelled asks once a row")
    func questionsAreOneARow() throws {
        var questions = 0
        _ = try Bitmap.noise(20, 20, seed: 2).resampled(to: PixelSize(5, 7)) {
            questions += 1
            return false
        }
        #expect(questions == 7)
    }
}
