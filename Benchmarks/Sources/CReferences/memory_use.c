#include "memory_use.h"

#include <malloc.h>

size_t halcyon_reference_allocated_bytes(void) {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}
