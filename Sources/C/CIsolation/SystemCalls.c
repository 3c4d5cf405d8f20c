#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "SystemCalls.h"

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "the filters are written for x86-64 and arm64"
#endif

#ifndef SECCOMP_RET_KILL_PROCESS
#define SECCOMP_RET_KILL_PROCESS 0x80000000U
#endif

/// The calls of a loop that receives, computes in memory and sends.
static const int computing[] = {
    SYS_recvmsg, SYS_sendmsg, SYS_close, SYS_fstat, SYS_read, SYS_write, SYS_lseek,
    SYS_munmap, SYS_mremap, SYS_madvise, SYS_brk,
    SYS_futex, SYS_sched_yield, SYS_sched_getaffinity, SYS_sysinfo, SYS_getrandom,
    SYS_clock_gettime, SYS_clock_getres, SYS_clock_nanosleep, SYS_nanosleep, SYS_restart_syscall,
    SYS_getpid, SYS_gettid, SYS_rt_sigprocmask, SYS_rt_sigaction, SYS_rt_sigreturn, SYS_sigaltstack,
    SYS_exit, SYS_exit_group,
};

/// What a thread does as it starts.
static const int starting_threads[] = { SYS_set_robust_list, SYS_rseq, SYS_set_tid_address };

/// Reading files: Landlock bounds which are opened, but not which are asked for their size and times by name.
static const int reading_files[] = {
    SYS_getdents64, SYS_pread64, SYS_statx, SYS_statfs, SYS_fstatfs, SYS_fadvise64, SYS_getcwd,
    SYS_faccessat, SYS_readlinkat, SYS_newfstatat,
#ifdef SYS_faccessat2
    SYS_faccessat2,
#endif
#ifdef SYS_access
    SYS_access,
#endif
#ifdef SYS_readlink
    SYS_readlink,
#endif
#ifdef SYS_stat
    SYS_stat, SYS_lstat,
#endif
};

/// The calls that no decoder makes, and that code which took one over makes first. Each ends the process.
static const int dangerous[] = {
    SYS_execve, SYS_execveat, SYS_clone, SYS_kill, SYS_tkill, SYS_tgkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo,
    SYS_socket, SYS_socketpair, SYS_connect, SYS_bind, SYS_listen, SYS_accept, SYS_accept4, SYS_sendto,
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp,
    SYS_mmap, SYS_mprotect, SYS_pkey_mprotect,
    SYS_unshare, SYS_setns, SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_open_by_handle_at,
    SYS_bpf, SYS_perf_event_open, SYS_userfaultfd, SYS_seccomp, SYS_personality,
    SYS_keyctl, SYS_add_key, SYS_request_key,
    SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_kexec_load, SYS_reboot,
#ifdef SYS_fork
    SYS_fork, SYS_vfork,
#endif
#ifdef SYS_pidfd_open
    SYS_pidfd_open, SYS_pidfd_send_signal,
#endif
#ifdef SYS_pidfd_getfd
    SYS_pidfd_getfd,
#endif
#ifdef SYS_process_madvise
    SYS_process_madvise,
#endif
#ifdef SYS_io_uring_setup
    SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register,
#endif
};

/// The flags with which glibc's `pthread_create` calls `clone`.
static const unsigned thread_flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM
    | CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;

enum { PROGRAM_CAPACITY = 512 };

typedef struct {
    struct sock_filter code[PROGRAM_CAPACITY];
    unsigned short count;
} Program;

static void add(Program *program, unsigned short operation, unsigned value, unsigned char yes, unsigned char no) {
    if (program->count < PROGRAM_CAPACITY) {
        program->code[program->count] = (struct sock_filter){ operation, yes, no, value };
    }
    program->count++;
}

static void load(Program *program, size_t offset) { add(program, BPF_LD | BPF_W | BPF_ABS, (unsigned)offset, 0, 0); }

static void load_number(Program *program) { load(program, offsetof(struct seccomp_data, nr)); }

/// Arguments have 64 bits, of which those that count here are in the lower half. Both architectures store it first.
static void load_argument(Program *program, size_t index) {
    load(program, offsetof(struct seccomp_data, args) + index * sizeof(__u64));
}

static void answer(Program *program, unsigned value) { add(program, BPF_RET | BPF_K, value, 0, 0); }

static void answer_calls(Program *program, const int *numbers, size_t count, unsigned value) {
    for (size_t i = 0; i < count; i++) {
        add(program, BPF_JMP | BPF_JEQ | BPF_K, (unsigned)numbers[i], 0, 1);
        answer(program, value);
    }
}

#define ANSWER(program, list, value) answer_calls(program, list, sizeof list / sizeof *list, value)

/// Answers a call of whose argument the bits of a mask have a value, and leaves the others to what follows.
static void answer_where(
    Program *program, int number, size_t argument, unsigned mask, unsigned value, unsigned result) {
    add(program, BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 5);
    load_argument(program, argument);
    add(program, BPF_ALU | BPF_AND | BPF_K, mask, 0, 0);
    add(program, BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
    answer(program, result);
    load_number(program);
}

static void allow_equal(Program *program, int number, size_t argument, unsigned value) {
    answer_where(program, number, argument, ~0u, value, SECCOMP_RET_ALLOW);
}

static void allow_without(Program *program, int number, size_t argument, unsigned bits) {
    answer_where(program, number, argument, bits, 0, SECCOMP_RET_ALLOW);
}

static void refuse_with(Program *program, int number, size_t argument, unsigned bits) {
    answer_where(program, number, argument, bits, bits, SECCOMP_RET_ERRNO | EPERM);
}

int halcyon_filter_system_calls(HalcyonFilter filter, bool opens_files, bool is_strict) {
    Program program = { .count = 0 };
    load(&program, offsetof(struct seccomp_data, arch));
    add(&program, BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
    answer(&program, SECCOMP_RET_KILL_PROCESS);
    load_number(&program);
#ifdef __x86_64__
    // The calls of x32, which have numbers of their own.
    add(&program, BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1);
    answer(&program, SECCOMP_RET_KILL_PROCESS);
#endif
    ANSWER(&program, computing, SECCOMP_RET_ALLOW);
    // Memory that no limit counts.
    refuse_with(&program, SYS_mmap, 3, MAP_SHARED | MAP_ANONYMOUS);
    refuse_with(&program, SYS_mmap, 3, MAP_GROWSDOWN);
    // No memory becomes executable: plug-ins that a library loads late fail, too.
    allow_without(&program, SYS_mmap, 2, PROT_EXEC);
    allow_without(&program, SYS_mprotect, 2, PROT_EXEC);
    // `abort` signals its own thread.
    allow_equal(&program, SYS_tgkill, 0, (unsigned)getpid());
    if (filter != HALCYON_FILTER_STILLS) {
        ANSWER(&program, starting_threads, SECCOMP_RET_ALLOW);
        allow_equal(&program, SYS_clone, 0, thread_flags);
        allow_equal(&program, SYS_prctl, 0, PR_SET_NAME);
    }
#ifdef SYS_clone3
    // Its flags lie in memory, where a filter cannot see them. glibc falls back to `clone`.
    answer_calls(&program, (int[]){ SYS_clone3 }, 1, SECCOMP_RET_ERRNO | ENOSYS);
#endif
    if (opens_files) {
        ANSWER(&program, reading_files, SECCOMP_RET_ALLOW);
        // Others of its commands have the kernel signal a process that a decoder names.
        const unsigned commands[] = { F_GETFD, F_SETFD, F_GETFL, F_DUPFD_CLOEXEC };
        for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
            allow_equal(&program, SYS_fcntl, 1, commands[i]);
        }
        allow_without(&program, SYS_openat, 2, O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND);
    } else {
        // Also `fstat` of glibc 2.33 to 2.38. A filter cannot see that its name is empty: with another one the call tells the
        // size and times of any file. What libraries ask so is which buffer a stream should have.
        answer_calls(&program, (int[]){ SYS_newfstatat }, 1, SECCOMP_RET_ERRNO | ENOSYS);
    }
    ANSWER(&program, dangerous, SECCOMP_RET_TRAP);
    // GLib asks where its warnings go, with each of them.
    answer_calls(&program, (int[]){ SYS_getpeername, SYS_ioctl }, 2, SECCOMP_RET_ERRNO | EPERM);
    // What libraries ask for and do without: settings of the system, terminals, limits, names.
    answer(&program, is_strict ? SECCOMP_RET_TRAP : SECCOMP_RET_ERRNO | EPERM);
    if (program.count > PROGRAM_CAPACITY) return E2BIG;

    struct sock_fprog instructions = { program.count, program.code };
    // Kernels before 5.16 otherwise turn on a protection that slows computing down by up to a half; it concerns programs
    // that run code of others beside their own secrets.
    unsigned flags = SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_SPEC_ALLOW;
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &instructions) ? errno : 0;
}
