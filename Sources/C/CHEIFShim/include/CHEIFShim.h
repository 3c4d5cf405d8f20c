// What differs between versions of libheif: from 1.19 on, the structure of a reader has more members, and there are
// limits of memory.
#ifndef HALCYON_HEIF_SHIM_H
#define HALCYON_HEIF_SHIM_H

#include "HEIFLibrary.h"

#include <stdint.h>

/// The beginning of a file, of which libheif reads more than there is: it gets zeros for that.
///
/// libheif ends the process (`assert`) if it cannot read what it was told is there, so reading never fails before
/// `end`.
typedef struct {
    const uint8_t *bytes;
    int64_t count;
    /// The end of the file as stated to libheif.
    int64_t end;
    int64_t position;
} HalcyonHEIFBeginning;

/// Bounds the bytes that libheif takes at a time, which is 512 MB otherwise. Before 1.19 libheif has no such bound.
void halcyon_heif_set_greatest_allocation(struct heif_context *context, uint64_t byte_count);

/// Reads the boxes. The beginning, and its bytes, must stay where they are as long as the context is open.
struct heif_error halcyon_heif_read_beginning(struct heif_context *context, HalcyonHEIFBeginning *beginning);

#endif
