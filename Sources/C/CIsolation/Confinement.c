#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "CIsolation.h"
#include "SystemCalls.h"

// Sanitizers map terabytes of private memory, of which they use little.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_SHADOW_MEMORY 1
#endif
#endif

// MARK: Limits

/// Limits a resource, to less than was asked for where the process may have less already.
static int set_limits_of(__rlimit_resource_t resource, rlim_t soft, rlim_t hard) {
    struct rlimit present;
    if (getrlimit(resource, &present)) return errno;
    struct rlimit limit = { soft, hard };
    if (limit.rlim_max > present.rlim_max) limit.rlim_max = present.rlim_max;
    if (limit.rlim_cur > limit.rlim_max) limit.rlim_cur = limit.rlim_max;
    return setrlimit(resource, &limit) ? errno : 0;
}

static int set_limit(__rlimit_resource_t resource, rlim_t value) { return set_limits_of(resource, value, value); }

static void keep_first(int *error, int other) {
    if (!*error) *error = other;
}

/// `RLIMIT_DATA` counts what a decoder takes, and `RLIMIT_AS` also libraries, stacks and shared buffers, and with them the
/// tables of pages, which nothing else counts. `RLIMIT_NPROC` counts the processes of the user, not those of this one; the
/// filter refuses `fork` instead, and the program counts threads. Each limit holds without the others.
static int set_limits(const HalcyonConfinement *confinement) {
    int error = 0;
#ifndef HAS_SHADOW_MEMORY
    if (confinement->memory) keep_first(&error, set_limit(RLIMIT_DATA, confinement->memory));
    if (confinement->address_space) keep_first(&error, set_limit(RLIMIT_AS, confinement->address_space));
#endif
    keep_first(&error, set_limit(RLIMIT_STACK, HALCYON_STACK_SIZE));
    if (confinement->processor_seconds) {
        // Two seconds later the kernel ends a process that handles the signal.
        rlim_t seconds = confinement->processor_seconds;
        keep_first(&error, set_limits_of(RLIMIT_CPU, seconds, seconds + 2));
    }
    keep_first(&error, set_limit(RLIMIT_CORE, 0));
    keep_first(&error, set_limit(RLIMIT_NOFILE, 64));
    keep_first(&error, set_limit(RLIMIT_FSIZE, 0));
    return error;
}

bool halcyon_limit_stack(void) {
    struct rlimit present;
    if (getrlimit(RLIMIT_STACK, &present) || present.rlim_cur <= HALCYON_STACK_SIZE) return false;
    return set_limit(RLIMIT_STACK, HALCYON_STACK_SIZE) == 0;
}

/// Gives up the capabilities of a program that root started. The worker keeps its user, but may do no more than any user.
static int drop_capabilities(void) {
    struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { 0 };
    return syscall(SYS_capset, &header, none) ? errno : 0;
}

// MARK: Landlock, by its numbers: Debian 12 has the header of its first version only.

enum {
    LANDLOCK_CREATE = 444,
    LANDLOCK_ADD = 445,
    LANDLOCK_RESTRICT = 446,
    LANDLOCK_FLAG_VERSION = 1,
    LANDLOCK_RULE_PATH = 1,
    LANDLOCK_READ_FILE = 1 << 2,
    LANDLOCK_READ_FOLDER = 1 << 3,
};

typedef struct {
    uint64_t files, tcp, scope;
} LandlockRules;

typedef struct {
    uint64_t access;
    int32_t descriptor;
} __attribute__((packed)) LandlockPath;

static int restrict_files(const HalcyonConfinement *confinement, HalcyonConfinementResult *result) {
    long version = syscall(LANDLOCK_CREATE, NULL, 0, LANDLOCK_FLAG_VERSION);
    if (version < 1) return errno;
    result->landlock_version = (int32_t)version;
    // 13 rights in version 1; then linking and renaming between folders, truncating, and ioctl on devices.
    uint64_t files = (1 << 13) - 1;
    if (version >= 2) files |= 1 << 13;
    if (version >= 3) files |= 1 << 14;
    if (version >= 5) files |= 1 << 15;
    LandlockRules rules = { files, version >= 4 ? 3 : 0, version >= 6 ? 3 : 0 };
    size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
    int set = (int)syscall(LANDLOCK_CREATE, &rules, size, 0);
    if (set < 0) return errno;
    int error = 0;
    for (size_t i = 0; i < confinement->readable_path_count && !error; i++) {
        int descriptor = open(confinement->readable_paths[i], O_PATH | O_CLOEXEC);
        if (descriptor < 0) continue;
        struct stat status;
        bool is_folder = fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode);
        LandlockPath rule = { LANDLOCK_READ_FILE | (is_folder ? LANDLOCK_READ_FOLDER : 0), descriptor };
        if (syscall(LANDLOCK_ADD, set, LANDLOCK_RULE_PATH, &rule, 0)) error = errno;
        close(descriptor);
    }
    if (!error && syscall(LANDLOCK_RESTRICT, set, 0)) error = errno;
    close(set);
    if (error) return error;
    result->reached |= HALCYON_ISOLATION_FILES;
    if (rules.tcp) result->reached |= HALCYON_ISOLATION_TCP;
    if (rules.scope) result->reached |= HALCYON_ISOLATION_SCOPE;
    return 0;
}

// MARK: The end by a refused call

static int trap_socket = -1;

/// Tells the parent the number of the refused call. The call has not happened, also where a decoder that was taken over
/// has put another function in this one's place.
static void on_refused_call(int number, siginfo_t *info, void *context) {
    (void)number;
    (void)context;
    HalcyonRecord record = {
        .magic = HALCYON_RECORD_MAGIC, .kind = HALCYON_RECORD_TRAPPED, .code = info->si_syscall
    };
    halcyon_send(trap_socket, &record, NULL, NULL, 0);
    _exit(128 + SIGSYS);
}

HalcyonConfinementResult halcyon_confine(const HalcyonConfinement *confinement) {
    HalcyonConfinementResult result = { 0 };
    trap_socket = confinement->socket;
    halcyon_reset_crash_signals();
    struct sigaction action = { .sa_sigaction = on_refused_call, .sa_flags = SA_SIGINFO };
    sigaction(SIGSYS, &action, NULL);

    if (confinement->steps & HALCYON_ISOLATION_LIMITS) {
        result.limits_error = set_limits(confinement);
        if (!result.limits_error) result.reached |= HALCYON_ISOLATION_LIMITS;
    }
    result.privileges_error = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? errno : drop_capabilities();
    if (!result.privileges_error) result.reached |= HALCYON_ISOLATION_NO_NEW_PRIVILEGES;
    if (confinement->steps & HALCYON_ISOLATION_FILES) result.files_error = restrict_files(confinement, &result);
    bool opens_files = confinement->filter == HALCYON_FILTER_DRAWINGS && result.reached & HALCYON_ISOLATION_FILES;
    if (confinement->steps & HALCYON_ISOLATION_SYSTEM_CALLS) {
        result.system_calls_error =
            halcyon_filter_system_calls(confinement->filter, opens_files, confinement->is_strict);
        if (!result.system_calls_error) result.reached |= HALCYON_ISOLATION_SYSTEM_CALLS;
    }
    return result;
}
