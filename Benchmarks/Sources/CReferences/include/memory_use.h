#ifndef HALCYON_REFERENCE_MEMORY_USE_H
#define HALCYON_REFERENCE_MEMORY_USE_H

#include <stddef.h>

// Bytes that malloc has given out and not got back.
size_t halcyon_reference_allocated_bytes(void);

// Between these the calls of malloc and its kin are counted, of all threads.
void halcyon_reference_begin_counting_allocations(void);
// Returns the number of calls.
size_t halcyon_reference_end_counting_allocations(void);

#endif
