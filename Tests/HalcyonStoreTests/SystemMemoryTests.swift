import HalcyonStore
import Testing

@Suite("How much memory the process may use")
struct SystemMemoryTests {
    private func available(_ files: [String: String]) -> Int {
        SystemMemory { files[$0] }.available
    }

    @Test("without limits it is the machine's")
    func machine() {
        #expect(available(["/proc/meminfo": "MemTotal:       16384 kB\nMemFree: 1 kB\n"]) == 16_384 * 1_024)
    }

    @Test("the lowest limit of a cgroup v2 and its parents counts")
    func version2() {
        let files = [
            "/proc/meminfo": "MemTotal: 1000000 kB\n",
            "/proc/self/cgroup": "0::/a/b\n",
            "/sys/fs/cgroup/a/b/memory.max": "max\n",
            "/sys/fs/cgroup/a/memory.max": "104857600\n",
        ]
        #expect(available(files) == 104_857_600)
    }

    @Test("in a container the root of the groups has the limit")
    func container() {
        let files = ["/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/memory.max": "5000\n"]
        #expect(available(files) == 5_000)
    }

    @Test("the limit of a cgroup v1 counts, and its largest number is none")
    func version1() {
        let root = "/sys/fs/cgroup/memory"
        var files = [
            "/proc/meminfo": "MemTotal: 1000 kB\n",
            "/proc/self/cgroup": "11:cpu:/x\n4:memory:/docker/1\n",
            "\(root)/docker/1/memory.limit_in_bytes": "9223372036854771712\n",
        ]
        #expect(available(files) == 1_024_000)
        files["\(root)/memory.limit_in_bytes"] = "77777\n"
        #expect(available(files) == 77_777)
    }

    @Test("unreadable or nonsensical files leave a gibibyte")
    func nonsense() {
        #expect(available([:]) == 1 << 30)
        #expect(available(["/proc/meminfo": "MemTotal: -4 kB\n", "/proc/self/cgroup": "::\n0\n"]) == 1 << 30)
    }

    @Test("a quarter of it is the default limit of a cache")
    func quarter() {
        let memory = SystemMemory { $0 == "/proc/meminfo" ? "MemTotal: 4096 kB" : nil }
        #expect(memory.defaultCostLimit == 1_048_576)
        #expect(SystemMemory().available > 0)
    }
}
