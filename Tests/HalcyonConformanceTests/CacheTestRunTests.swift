import FoundationEssentials
import HalcyonHTTP
import Testing

@testable import HalcyonConformance

/// Cases of our own, in the form of the public ones, so that the runner is tested where those are not installed.
@Suite("A run of HTTP cache tests")
struct CacheTestRunTests {
    private func report(_ tests: String, index: String = "") async throws -> CacheTestReport {
        let data = Data("[{\"name\": \"own\", \"id\": \"own\", \"tests\": [\(tests)]}]".utf8)
        return await CacheTestReport(tests: try CacheTest.tests(data), index: CacheTestIndex(Data(index.utf8)))
    }

    private func test(_ id: String, _ requests: String, kind: String = "required", dependsOn: String = "") -> String {
        """
        {"id": "\(id)", "name": "\(id)", "kind": "\(kind)", "depends_on": [\(dependsOn)], "requests": [\(requests)]}
        """
    }

    @Test(
        "passes what a cache does",
        arguments: [
            // Fresh.
            """
            {"response_headers": [["Cache-Control", "max-age=5"]], "setup": true, "pause_after": true},
            {"expected_type": "cached"}
            """,
            // Stale.
            """
            {"response_headers": [["Cache-Control", "max-age=2"]], "setup": true, "pause_after": true},
            {"expected_type": "not_cached"}
            """,
            // Validated by tag, with the headers of the 304.
            """
            {"response_headers": [["Cache-Control", "max-age=1"], ["ETag", "\\"a\\""], ["X", "1"]], "pause_after": true},
            {"response_headers": [["ETag", "\\"a\\""], ["X", "2"]], "expected_type": "etag_validated",
             "expected_request_headers": [["If-None-Match", "\\"a\\""]], "expected_response_headers": [["X", "2"]]}
            """,
            // Validated by date, then by the same.
            """
            {"response_headers": [["Cache-Control", "max-age=1"], ["Last-Modified", -100]], "pause_after": true},
            {"response_headers": [["Last-Modified", -100]], "expected_type": "lm_validated"}
            """,
            // Expiry by date, in the obsolete form too.
            """
            {"response_headers": [["Expires", 10], ["Date", 0]], "rfc850date": ["expires"], "setup": true},
            {"expected_type": "cached", "expected_response_headers": [["Date", 0], ["Age", "=", "Age"]]}
            """,
            // Other URLs are other responses.
            """
            {"response_headers": [["Cache-Control", "max-age=50"]], "query_arg": "a"},
            {"response_headers": [["Cache-Control", "max-age=50"]], "query_arg": "b", "expected_type": "not_cached"},
            {"query_arg": "a", "expected_type": "cached"}
            """,
            // A lost connection, with something to show instead.
            """
            {"response_headers": [["Cache-Control", "max-age=1"]], "pause_after": true},
            {"disconnect": true, "expected_type": "cached"}
            """,
            // Stale, refreshed meanwhile.
            """
            {"response_headers": [["Cache-Control", "max-age=1, stale-while-revalidate=50"]], "pause_after": true},
            {"response_headers": [["Cache-Control", "max-age=50"], ["X", "2"]], "expected_type": "cached"},
            {"expected_type": "cached", "expected_response_headers": [["X", "2"]]}
            """,
            // Statuses that no image has are kept as well.
            """
            {"response_status": [404, "Not Found"], "response_headers": [["Cache-Control", "max-age=50"]], "setup": true},
            {"expected_type": "cached", "expected_status": 404}
            """,
            // Nothing may be asked, nothing is there.
            """
            {"request_headers": [["Cache-Control", "only-if-cached"]], "expected_status": 504,
             "expected_response_text": null}
            """,
        ]
    )
    func passes(requests: String) async throws {
        let report = try await report(test("own", requests))
        #expect(report.results.map(\.description) == ["PASS own [must]"])
        #expect(report.conforms)
    }

    @Test(
        "fails what a cache does not",
        arguments: [
            #"{"setup": true}, {"expected_type": "cached"}"#,
            #"{"response_headers": [["Cache-Control", "max-age=50"]]}, {"expected_type": "not_cached"}"#,
            #"{"expected_response_headers": ["X"]}"#,
            #"{"response_headers": [["X", "1"]], "expected_response_headers_missing": ["X"]}"#,
            #"{"expected_request_headers": ["X"]}"#,
            #"{"expected_status": 404}"#,
            #"{"expected_response_text": "other"}"#,
            #"{"disconnect": true}"#,
            // The pipeline has no key for it.
            #"{"request_method": "POST"}"#,
            #"{"response_headers": [["Cache-Control", "max-age=1"]], "pause_after": true}, {"expected_type": "etag_validated"}"#,
        ]
    )
    func fails(requests: String) async throws {
        let report = try await report(test("own", requests))
        #expect(report.results.map(\.verdict) == [.fail])
        #expect(!report.conforms)
    }

    @Test("says nothing of tests that depend on one that fails, or do not apply")
    func skips() async throws {
        let index = "id\tapplies\tsuggested_gate\tchrome\nshared\tskip-shared-cache\tskip\t\n"
        let report = try await report(
            [
                test("base", #"{}, {"expected_type": "cached"}"#, kind: "check"),
                test("dependent", "{}", kind: "optimal", dependsOn: #""base""#), test("shared", "{}"),
            ].joined(separator: ","),
            index: index
        )
        #expect(report.results.map(\.verdict) == [.fail, .skip, .skip])
        #expect(report.conforms)
    }

    @Test("says by name which tests are about what is left out, and counts them for no browser")
    func inapplicable() async throws {
        let index = "id\tapplies\tsuggested_gate\tchrome\ninvalidate-PUT-failed\trun\tshould\tpass\n"
        let report = try await report(
            test("invalidate-PUT-failed", #"{}, {"request_method": "PUT"}"#, kind: "optimal"),
            index: index
        )
        #expect(
            report.results.map(\.description) == [
                "SKIP invalidate-PUT-failed [skip] not applicable: methods other than GET are not cached, and "
                    + "invalidate nothing"
            ]
        )
        #expect(report.conforms)
    }

    @Test("does not conform with fewer passes than the best browser")
    func browsers() async throws {
        let index = "id\tapplies\tsuggested_gate\tchrome\none\trun\tshould\tpass\n"
        let failing = test("one", #"{}, {"expected_type": "cached"}"#)
        #expect(try await !report(failing, index: index).conforms)
        #expect(try await report(test("one", "{}"), index: index).conforms)
    }
}
