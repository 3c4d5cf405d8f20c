#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "CIsolation.h"

enum { DESCRIPTOR_CAPACITY = 3 };

typedef union {
    char bytes[CMSG_SPACE(DESCRIPTOR_CAPACITY * sizeof(int))];
    struct cmsghdr alignment;
} Control;

_Static_assert(sizeof(HalcyonRecord) == 64, "a record's header has 64 bytes without padding");

int halcyon_send(
    int socket, const HalcyonRecord *record, const void *payload, const int *descriptors, int descriptor_count
) {
    if (descriptor_count < 0 || descriptor_count > DESCRIPTOR_CAPACITY) return EINVAL;
    if (record->payload_count > HALCYON_RECORD_PAYLOAD_CAPACITY) return EMSGSIZE;
    struct iovec parts[2] = {
        { .iov_base = (void *)record, .iov_len = sizeof *record },
        { .iov_base = (void *)payload, .iov_len = record->payload_count },
    };
    struct msghdr message = { .msg_iov = parts, .msg_iovlen = record->payload_count > 0 ? 2 : 1 };
    Control control;
    if (descriptor_count > 0) {
        memset(&control, 0, sizeof control);
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE((size_t)descriptor_count * sizeof(int));
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN((size_t)descriptor_count * sizeof(int));
        memcpy(CMSG_DATA(header), descriptors, (size_t)descriptor_count * sizeof(int));
    }
    ssize_t count;
    do {
        count = sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    } while (count < 0 && errno == EINTR);
    return count < 0 ? errno : 0;
}

int halcyon_receive(
    int socket, bool waits, HalcyonRecord *record, void *payload, size_t capacity, int *descriptors,
    int descriptor_capacity
) {
    struct iovec parts[2] = {
        { .iov_base = record, .iov_len = sizeof *record },
        { .iov_base = payload, .iov_len = capacity },
    };
    struct msghdr message = { .msg_iov = parts, .msg_iovlen = capacity > 0 ? 2 : 1 };
    Control control;
    if (descriptor_capacity > 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
    }
    ssize_t count;
    do {
        count = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | (waits ? 0 : MSG_DONTWAIT));
    } while (count < 0 && errno == EINTR);
    if (count < 0) return errno == EAGAIN || errno == EWOULDBLOCK ? HALCYON_RECEIVED_NOTHING : HALCYON_RECEIVED_END;
    if (count == 0) return HALCYON_RECEIVED_END;

    // The kernel has closed what did not fit into the control data.
    int received[DESCRIPTOR_CAPACITY];
    int received_count = 0;
    if (descriptor_capacity > 0) {
        for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
            if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
            int number = (int)((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
            for (int i = 0; i < number && received_count < DESCRIPTOR_CAPACITY; i++) {
                memcpy(&received[received_count++], CMSG_DATA(header) + (size_t)i * sizeof(int), sizeof(int));
            }
        }
    }
    // Descriptors are lost where this process may have no more of them, which is not the other's fault.
    bool has_lost = descriptor_capacity > 0 && (message.msg_flags & MSG_CTRUNC);
    bool is_cut = message.msg_flags & (has_lost ? MSG_TRUNC : MSG_TRUNC | MSG_CTRUNC);
    bool is_valid = !is_cut && (size_t)count >= sizeof *record
        && record->magic == HALCYON_RECORD_MAGIC && record->payload_count <= HALCYON_RECORD_PAYLOAD_CAPACITY
        && (size_t)count - sizeof *record == record->payload_count && received_count <= descriptor_capacity;
    if (!is_valid) {
        for (int i = 0; i < received_count; i++) close(received[i]);
        return HALCYON_RECEIVED_NONSENSE;
    }
    for (int i = 0; i < received_count; i++) {
        if (has_lost) close(received[i]); else descriptors[i] = received[i];
    }
    return has_lost ? 0 : received_count;
}

// MARK: Memory

int64_t halcyon_file_size(int descriptor) {
    struct stat status;
    return syscall(SYS_fstat, descriptor, &status) ? -1 : (int64_t)status.st_size;
}

int halcyon_shared_memory(const char *name, size_t size) {
    // Growing a file beyond the limit also sends a signal that ends the program.
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && size > limit.rlim_cur) {
        errno = EFBIG;
        return -1;
    }
    int descriptor = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (descriptor < 0) return -1;
    // Without the seals, a process that shortens the memory would end the one that reads it with SIGBUS.
    if (ftruncate(descriptor, (off_t)size) || fcntl(descriptor, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK)) {
        int error = errno;
        close(descriptor);
        errno = error;
        return -1;
    }
    return descriptor;
}

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif

void halcyon_shared_memory_seal(int descriptor, bool is_read_only) {
    if (is_read_only) fcntl(descriptor, F_ADD_SEALS, F_SEAL_FUTURE_WRITE);
    fcntl(descriptor, F_ADD_SEALS, F_SEAL_SEAL);
}

int halcyon_shared_memory_release(int descriptor, size_t size) {
    return fallocate(descriptor, FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE, 0, (off_t)size) ? errno : 0;
}

void *halcyon_map(int descriptor, size_t size, bool is_writable) {
    void *memory = mmap(NULL, size, PROT_READ | (is_writable ? PROT_WRITE : 0), MAP_SHARED, descriptor, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

uint8_t halcyon_shared_load(const uint8_t *byte) { return __atomic_load_n(byte, __ATOMIC_RELAXED); }

void halcyon_shared_store(uint8_t *byte, uint8_t value) { __atomic_store_n(byte, value, __ATOMIC_RELAXED); }
