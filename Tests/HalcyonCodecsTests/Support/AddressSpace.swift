import Foundation
import Testing

/// Whether this is a build with a sanitizer, which needs an address space of its own.
let isInstrumented = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil

/// Refuses this process more than so many bytes of memory beyond what it has.
func limitMemory(toAdditional byteCount: Int) throws {
    let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).prefix { $0.isNumber }
    let byteCount = (rlim_t(pages) ?? 0) * rlim_t(getpagesize()) + rlim_t(byteCount)
    var limit = rlimit(rlim_cur: byteCount, rlim_max: byteCount)
    try #require(setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0)
}
