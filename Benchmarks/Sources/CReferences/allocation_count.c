#include "memory_use.h"

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

// The functions of glibc are called through those of this program, which count: glibc lets a program define them. What
// they return is of glibc's own heap, so that its `free` frees it.
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static _Atomic bool is_counting;
static _Atomic size_t allocation_count;

static void count_one(void) {
    if (atomic_load_explicit(&is_counting, memory_order_relaxed)) {
        atomic_fetch_add_explicit(&allocation_count, 1, memory_order_relaxed);
    }
}

void *malloc(size_t size) {
    count_one();
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    count_one();
    return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size) {
    count_one();
    return __libc_realloc(block, size);
}

void *memalign(size_t alignment, size_t size) {
    count_one();
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    count_one();
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
    if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) return EINVAL;
    count_one();
    void *new = __libc_memalign(alignment, size);
    if (new == NULL) return ENOMEM;
    *block = new;
    return 0;
}

void halcyon_reference_begin_counting_allocations(void) {
    atomic_store(&allocation_count, 0);
    atomic_store(&is_counting, true);
}

size_t halcyon_reference_end_counting_allocations(void) {
    atomic_store(&is_counting, false);
    return atomic_load(&allocation_count);
}
