#ifndef HALCYON_JPEG_DESTINATION_H
#define HALCYON_JPEG_DESTINATION_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jpeglib.h>

// A buffer that doubles, owned by the encoder even where libjpeg ends with an error. `manager` comes first, so that a
// pointer to it is one to the whole.
typedef struct JPEGDestination {
    struct jpeg_destination_mgr manager;
    uint8_t *bytes;
    size_t capacity;
    size_t count;
} JPEGDestination;

// The destination must be filled with zeros.
void jpeg_destination_init(JPEGDestination *destination);

#endif
