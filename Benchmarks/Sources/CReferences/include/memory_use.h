#ifndef HALCYON_REFERENCE_MEMORY_USE_H
#define HALCYON_REFERENCE_MEMORY_USE_H

#include <stddef.h>

// Bytes that malloc has given out and not got back.
size_t halcyon_reference_allocated_bytes(void);

#endif
