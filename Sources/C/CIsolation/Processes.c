#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "CIsolation.h"

static const int crash_signals[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGQUIT, SIGSYS };
enum { CRASH_SIGNAL_COUNT = sizeof crash_signals / sizeof *crash_signals };

int halcyon_socket_pair(int pair[2]) {
    return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) ? errno : 0;
}

bool halcyon_is_read_only(int descriptor) {
    int flags = fcntl(descriptor, F_GETFL);
    return flags >= 0 && (flags & O_ACCMODE) == O_RDONLY;
}

bool halcyon_is_record_socket(int descriptor) {
    int type = 0, domain = 0;
    socklen_t size = sizeof type;
    if (getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) || type != SOCK_SEQPACKET) return false;
    size = sizeof domain;
    return getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && domain == AF_UNIX;
}

int halcyon_spawn(pid_t *identifier, const char *path, char *const arguments[], char *const environment[], int socket) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&actions);
    if (error) return error;
    error = posix_spawnattr_init(&attributes);
    if (error) {
        posix_spawn_file_actions_destroy(&actions);
        return error;
    }
    // Copying to another number drops the flag that closes it; a copy to its own number would keep the flag, but the
    // standard says that spawning drops it then, too.
    if (!error) error = posix_spawn_file_actions_adddup2(&actions, socket, 3);
    for (int i = 0; i < 3 && !error; i++) {
        error = posix_spawn_file_actions_addopen(&actions, i, "/dev/null", O_RDWR, 0);
    }
    if (!error) error = posix_spawn_file_actions_addclosefrom_np(&actions, 4);
    // What the program blocks or ignores is not inherited. A group of its own, so that a key that interrupts the program
    // does not end a worker before the program has ended its work.
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    if (!error) error = posix_spawnattr_setsigdefault(&attributes, &all);
    if (!error) error = posix_spawnattr_setsigmask(&attributes, &none);
    if (!error) error = posix_spawnattr_setpgroup(&attributes, 0);
    if (!error) {
        error = posix_spawnattr_setflags(
            &attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    }
    if (!error) error = posix_spawn(identifier, path, &actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

pid_t halcyon_fork(void) { return fork(); }

int halcyon_process_descriptor(pid_t identifier) { return (int)syscall(SYS_pidfd_open, identifier, 0); }

int halcyon_process_signal(int descriptor, int signal) {
    return syscall(SYS_pidfd_send_signal, descriptor, signal, NULL, 0) ? errno : 0;
}

#ifndef P_PIDFD
#define P_PIDFD 3
#endif

int halcyon_process_end(int descriptor, bool waits, int *code, int *status) {
    siginfo_t info;
    info.si_pid = 0;
    int result;
    do {
        result = waitid((idtype_t)P_PIDFD, (id_t)descriptor, &info, WEXITED | (waits ? 0 : WNOHANG));
    } while (result && errno == EINTR);
    if (result) return -errno;
    if (info.si_pid == 0) return 0;
    *code = info.si_code;
    *status = info.si_status;
    return 1;
}

static int64_t nanoseconds(clockid_t clock) {
    struct timespec time;
    if (clock_gettime(clock, &time)) return -1;
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

int64_t halcyon_processor_time(pid_t identifier) {
    clockid_t clock;
    return clock_getcpuclockid(identifier, &clock) ? -1 : nanoseconds(clock);
}

int64_t halcyon_monotonic_time(void) { return nanoseconds(CLOCK_MONOTONIC); }

static bool close_from_to(unsigned first, unsigned last) {
    return first > last || close_range(first, last, 0) == 0;
}

/// Closes what the system lists, where there is no `close_range`.
static bool close_listed_others(int one, int other) {
    DIR *folder = opendir("/proc/self/fd");
    if (!folder) return false;
    int list = dirfd(folder);
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        if (entry->d_name[0] == '.') continue;
        int descriptor = (int)strtol(entry->d_name, NULL, 10);
        if (descriptor > 2 && descriptor != one && descriptor != other && descriptor != list) close(descriptor);
    }
    closedir(folder);
    return true;
}

bool halcyon_close_others(int one, int other) {
    unsigned first = (unsigned)(one < other ? one : other), second = (unsigned)(one < other ? other : one);
    bool is_done = close_from_to(3, first - 1) && close_from_to(first + 1, second - 1)
        && close_from_to(second + 1, ~0u);
    return is_done || close_listed_others(one, other);
}

void halcyon_reset_crash_signals(void) {
    for (int i = 0; i < CRASH_SIGNAL_COUNT; i++) signal(crash_signals[i], SIG_DFL);
}

void halcyon_prefer_for_memory_shortage(int value) {
    int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (file < 0) return;
    if (dprintf(file, "%d", value) < 0) { /* It is a preference. */
    }
    close(file);
}

bool halcyon_end_with_parent(pid_t parent) {
    // One that has ended before the call would never be noticed.
    return prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0 && getppid() == parent;
}

int halcyon_thread_count(pid_t identifier) {
    // A folder has a link from each of its folders, one for each thread, and two more.
    char path[40];
    struct stat status;
    snprintf(path, sizeof path, "/proc/%d/task", (int)identifier);
    return stat(path, &status) || status.st_nlink < 2 ? 0 : (int)status.st_nlink - 2;
}
