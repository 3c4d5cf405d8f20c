#ifndef HALCYON_ISOLATION_H
#define HALCYON_ISOLATION_H

// System calls, signals and processes that Swift cannot express: filters, variadic calls, control data of sockets, fork.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// The steps by which a process confines itself. Each holds without the others.
enum {
    /// Limits on memory, processor time, files and core dumps.
    HALCYON_ISOLATION_LIMITS = 1 << 0,
    /// No capabilities, and no program that this process starts gets more rights than it has.
    HALCYON_ISOLATION_NO_NEW_PRIVILEGES = 1 << 1,
    /// Landlock: no file is opened but those named readable.
    HALCYON_ISOLATION_FILES = 1 << 2,
    /// Landlock from version 4 on: no TCP connection.
    HALCYON_ISOLATION_TCP = 1 << 3,
    /// Landlock from version 6 on: no signal to, and no abstract socket of, a process outside.
    HALCYON_ISOLATION_SCOPE = 1 << 4,
    /// seccomp: no system call but those of the filter.
    HALCYON_ISOLATION_SYSTEM_CALLS = 1 << 5,
};

/// The filters of system calls, by the libraries that work behind them.
typedef enum {
    /// Decoders that compute on the calling thread.
    HALCYON_FILTER_STILLS = 0,
    /// Decoders whose libraries start threads: HEIC and AVIF.
    HALCYON_FILTER_STILLS_WITH_THREADS = 1,
    /// Drawings, which also read fonts. Files stay closed where Landlock cannot name those that are readable.
    HALCYON_FILTER_DRAWINGS = 2,
} HalcyonFilter;

typedef struct {
    /// The steps that are tried, but for what has no step of its own.
    uint32_t steps;
    HalcyonFilter filter;
    /// Whether a system call that the filter does not list ends the process, instead of failing with `EPERM`.
    bool is_strict;
    /// The bytes of private writable memory (`RLIMIT_DATA`); 0 for no limit.
    uint64_t memory;
    /// The bytes of everything that is mapped (`RLIMIT_AS`); 0 for no limit.
    uint64_t address_space;
    /// The processor time in seconds (`RLIMIT_CPU`); 0 for no limit.
    uint64_t processor_seconds;
    /// The paths that stay readable, with everything below them. Those that do not exist are left out.
    const char *const *readable_paths;
    size_t readable_path_count;
    /// The socket that is told the number of a system call that ended the process.
    int socket;
} HalcyonConfinement;

typedef struct {
    /// The steps that hold.
    uint32_t reached;
    /// The version of Landlock's interface; 0 where there is none.
    int32_t landlock_version;
    /// What `errno` was where a step does not hold; 0 where it does, or was not tried.
    int32_t limits_error;
    int32_t privileges_error;
    int32_t files_error;
    int32_t system_calls_error;
} HalcyonConfinementResult;

/// Confines the process for good: limits, no new privileges, Landlock, and system calls last. It must have one thread,
/// because Landlock binds the calling one only.
HalcyonConfinementResult halcyon_confine(const HalcyonConfinement *confinement);

/// The number of a process's threads; 0 if unknown.
int halcyon_thread_count(pid_t identifier);

/// The most bytes of the stack of a worker: what recurses without end crashes, also in a program that was started without a
/// limit.
#define HALCYON_STACK_SIZE (8u << 20)

/// Limits the stack of this process, and of what it starts. Returns whether it had more: the places in memory that are given to
/// libraries follow from the limit that a program is started with, so that it should be started anew.
bool halcyon_limit_stack(void);

/// The size of an open file; -1 with `errno`. `fstat` of glibc 2.33 to 2.38 makes a call that can also ask for any file by its
/// name.
int64_t halcyon_file_size(int descriptor);

// MARK: Records

/// The first bytes of each record. The last two digits are the version of the protocol.
#define HALCYON_RECORD_MAGIC 0x48574b01u

/// The most bytes that follow a header in one record.
enum { HALCYON_RECORD_PAYLOAD_CAPACITY = 32768 };

/// The kind of the record that says which call ended a worker; the others are in Swift (`Record.Kind`).
enum { HALCYON_RECORD_TRAPPED = 8 };

/// The header of a record, the same in all directions. Both ends run on one machine, so that numbers have its byte order.
typedef struct {
    uint32_t magic;
    uint32_t kind;
    uint64_t identifier;
    uint32_t width;
    uint32_t height;
    uint32_t bytes_per_row;
    uint32_t bytes_per_pixel;
    uint64_t byte_count;
    uint64_t capacity;
    int32_t code;
    int32_t status;
    uint32_t payload_count;
    uint32_t flags;
} HalcyonRecord;

/// Sends a header, bytes and up to three descriptors as one record, without waiting for space.
///
/// Returns 0, or what `errno` was.
int halcyon_send(
    int socket, const HalcyonRecord *record, const void *payload, const int *descriptors, int descriptor_count);

/// What a call of ``halcyon_receive`` found besides a record.
enum { HALCYON_RECEIVED_END = -1, HALCYON_RECEIVED_NONSENSE = -2, HALCYON_RECEIVED_NOTHING = -3 };

/// Receives one record: its header, at most `capacity` bytes, and at most `descriptor_capacity` descriptors, up to 3.
///
/// Returns the number of descriptors. A record whose length, magic or number of descriptors is not as it says is
/// nonsense; what it carried is closed. Without `waits`, returns at once if there is no record.
int halcyon_receive(
    int socket, bool waits, HalcyonRecord *record, void *payload, size_t capacity, int *descriptors,
    int descriptor_capacity);

// MARK: Memory

/// Makes memory of a file descriptor, of a size that nobody can change; -1 with `errno` if it cannot, such as for more bytes
/// than `RLIMIT_FSIZE` allows.
int halcyon_shared_memory(const char *name, size_t size);

/// Forbids to change what is forbidden from here on, and, if it is read only, all writing but through maps that exist, which
/// Linux before 5.1 cannot.
void halcyon_shared_memory_seal(int descriptor, bool is_read_only);

/// Gives the pages of shared memory back to the system; it is zero then. Returns 0, or what `errno` was.
int halcyon_shared_memory_release(int descriptor, size_t size);

/// Maps shared memory; `NULL` if it cannot.
void *halcyon_map(int descriptor, size_t size, bool is_writable);

uint8_t halcyon_shared_load(const uint8_t *byte);
void halcyon_shared_store(uint8_t *byte, uint8_t value);

// MARK: Processes

/// A pair of sockets for records.
int halcyon_socket_pair(int pair[2]);

/// Whether a descriptor is a file that is open for reading only.
bool halcyon_is_read_only(int descriptor);

/// Whether a descriptor is a socket for records.
bool halcyon_is_record_socket(int descriptor);

/// Starts a program that inherits one socket, as descriptor 3, and the null device as 0 to 2, in a group of its own.
///
/// Returns 0, or an error's number.
int halcyon_spawn(pid_t *identifier, const char *path, char *const arguments[], char *const environment[], int socket);

/// `fork`, which Swift does not import.
pid_t halcyon_fork(void);

/// The descriptor of a process; -1 with `errno`.
int halcyon_process_descriptor(pid_t identifier);

/// Sends a signal to the process of a descriptor, never to another one that got its number.
int halcyon_process_signal(int descriptor, int signal);

/// Waits for a child to end, or asks whether it has; its `CLD_…` code and its exit status or signal.
///
/// Returns 1 once it has ended, 0 if it has not, or a negative error's number.
int halcyon_process_end(int descriptor, bool waits, int *code, int *status);

/// The processor time that a process has taken, in nanoseconds; -1 if it is gone.
int64_t halcyon_processor_time(pid_t identifier);

/// Nanoseconds of the monotonic clock.
int64_t halcyon_monotonic_time(void);

/// Closes all descriptors from 3 on, but these two. Returns whether it could.
bool halcyon_close_others(int one, int other);

/// Gives the signals by which a crash shows their default effect, so that the parent sees the signal.
void halcyon_reset_crash_signals(void);

/// Has the kernel end this process before others where memory runs out: the one with the highest value, up to 1,000, first.
void halcyon_prefer_for_memory_shortage(int value);

/// Has the kernel end this process with its parent. Returns whether that one still runs.
bool halcyon_end_with_parent(pid_t parent);

#endif
